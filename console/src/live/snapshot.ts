import { effect, useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import type { Live } from './pool';
import type { KubeObject } from './protocol';

/** Rows that change places four times a second cannot be clicked: what depends on all objects waits longer. */
const pace = 1000;

/** All objects of these lists, for filters and order, renewed at most once a second when all are there. */
export function useSnapshot<T extends KubeObject>(lives: readonly Live<T>[]): readonly T[] {
  const all = () => lives.flatMap(({ collection }) => collection.all());
  const snapshot = useSignal<readonly T[]>(all());
  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = 0;
    let complete = false;
    const renew = () => {
      clearTimeout(timer);
      timer = undefined;
      last = Date.now();
      snapshot.value = all();
    };
    const dispose = effect(() => {
      for (const { collection } of lives) void collection.changes.value;
      // Until the last list is there, everything is shown as it comes: people wait for it.
      const wait = complete ? last + pace - Date.now() : 0;
      complete = lives.every(isSettled);
      if (wait <= 0) renew();
      else timer ??= setTimeout(renew, wait);
    });
    return () => {
      dispose();
      clearTimeout(timer);
    };
  }, [lives]);
  return snapshot.value;
}

/** Whether its list is complete, or none will come. */
function isSettled<T extends KubeObject>({ collection, watch }: Live<T>): boolean {
  return collection.loaded.value || watch.problem.value !== '';
}

/** Until all lists are complete, nothing can be said about what is not there. */
export function allLoaded<T extends KubeObject>(lives: readonly Live<T>[]): boolean {
  return lives.every(({ collection }) => collection.loaded.value);
}

/** The first problem, in the server's words. */
export function problemOf<T extends KubeObject>(lives: readonly Live<T>[]): string {
  return lives.map(({ watch }) => watch.problem.value).find((problem) => problem !== '') ?? '';
}
