import { effect, useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import type { Live } from './pool';
import type { KubeObject } from './protocol';

/** Rows that change places four times a second cannot be clicked: what depends on all objects waits longer. */
const pace = 1000;

/** All objects of these lists, for filters and order, renewed at most once a second. */
export function useSnapshot<T extends KubeObject>(lives: readonly Live<T>[]): readonly T[] {
  const all = () => lives.flatMap(({ collection }) => collection.all());
  const snapshot = useSignal<readonly T[]>(all());
  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = 0;
    const renew = () => {
      timer = undefined;
      last = Date.now();
      snapshot.value = all();
    };
    const dispose = effect(() => {
      for (const { collection } of lives) void collection.changes.value;
      if (timer !== undefined) return;
      const wait = last + pace - Date.now();
      if (wait <= 0) renew();
      else timer = setTimeout(renew, wait);
    });
    return () => {
      dispose();
      clearTimeout(timer);
    };
  }, [lives]);
  return snapshot.value;
}

/** Until all lists are complete, nothing can be said about what is not there. */
export function allLoaded<T extends KubeObject>(lives: readonly Live<T>[]): boolean {
  return lives.every(({ collection }) => collection.loaded.value);
}

/** The first problem, in the server's words. */
export function problemOf<T extends KubeObject>(lives: readonly Live<T>[]): string {
  return lives.map(({ watch }) => watch.problem.value).find((problem) => problem !== '') ?? '';
}
