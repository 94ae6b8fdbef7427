import { useEffect, useMemo } from 'preact/hooks';
import { Collection } from './collection';
import { flushSoon } from './flush';
import type { KubeObject, Resource } from './protocol';
import { connection } from './tab';
import { Watch } from './watch';

/** The live objects of one resource. */
export interface Live<T extends KubeObject> {
  resource: Resource;
  collection: Collection<T>;
  watch: Watch<T>;
}

interface Shared extends Live<KubeObject> {
  users: number;
  end: ReturnType<typeof setTimeout> | undefined;
}

/** How long a watch outlives its last user: whoever goes to another page and back finds it full. */
const rest = 5000;

const pool = new Map<string, Shared>();

function keyOfResource({ group, plural, namespace }: Resource): string {
  return `${plural}.${group}/${namespace}`;
}

function make(resource: Resource): Shared {
  const flush = () => collection.flush();
  const collection = new Collection<KubeObject>(() => flushSoon(flush));
  const watch = new Watch(connection, resource, collection);
  watch.start();
  return { resource, collection, watch, users: 0, end: undefined };
}

function find(resource: Resource): Shared {
  const key = keyOfResource(resource);
  const found = pool.get(key) ?? make(resource);
  pool.set(key, found);
  return found;
}

function take(shared: Shared): void {
  shared.users++;
  clearTimeout(shared.end);
}

function leave(shared: Shared): void {
  if (--shared.users > 0) return;
  shared.end = setTimeout(() => {
    shared.watch.stop();
    pool.delete(keyOfResource(shared.resource));
  }, rest);
}

/** One watch a resource and project, however many components show it. */
export function useLive<T extends KubeObject>(resources: readonly Resource[]): Live<T>[] {
  const key = resources.map(keyOfResource).join(' ');
  const found = useMemo(() => resources.map(find), [key]);
  useEffect(() => {
    found.forEach(take);
    return () => found.forEach(leave);
  }, [found]);
  // Who asks for a resource says what is in it.
  return found as unknown as Live<T>[];
}

export function useLiveOne<T extends KubeObject>(resource: Resource): Live<T> {
  const [found] = useLive<T>([resource]);
  return found as Live<T>;
}

/** Lists everything that is on the screen again. */
export function refreshAll(): void {
  for (const { watch } of pool.values()) watch.refresh();
}
