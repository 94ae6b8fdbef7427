import { type Signal, signal } from '@preact/signals';
import type { KubeObject, WatchEvent } from './protocol';

export function keyOf(object: KubeObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
}

/** Newest first; the order of two of the same second must not depend on which event came first. */
export function newestFirst(a: KubeObject, b: KubeObject): number {
  const left = a.metadata.creationTimestamp ?? '';
  const right = b.metadata.creationTimestamp ?? '';
  if (left !== right) return left < right ? 1 : -1;
  // Not by keyOf: thousands may be of the same second, and each comparison would make two texts.
  if (a.metadata.namespace !== b.metadata.namespace) {
    return (a.metadata.namespace ?? '') < (b.metadata.namespace ?? '') ? -1 : 1;
  }
  return a.metadata.name < b.metadata.name ? -1 : 1;
}

/**
 * The objects of one watch. Events change it at once; the screen sees them at `flush`, which the owner calls
 * when `changed` has told it to. One signal an object, and `keys` changes only with the set or its order, so a
 * flush redraws the rows that changed and no others. A flush costs as much as has changed since the last.
 */
export class Collection<T extends KubeObject> {
  /** In the order of the screen. */
  readonly keys = signal<readonly string[]>([]);
  /** Counts the flushes that brought something: for whoever depends on all objects at once. */
  readonly changes = signal(0);
  /** False until the first list is complete: an empty list is not yet a statement. */
  readonly loaded = signal(false);

  #changed: () => void;
  #objects = new Map<string, T>();
  #shown = new Map<string, Signal<T | undefined>>();
  /** What has changed since the last flush. */
  #dirty = new Set<string>();
  /** While a list is running: what it has named so far. The rest is gone when it ends. */
  #listed: Set<string> | undefined;
  #complete = false;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** What the screen shows. Whoever reads it in a component follows its change, its end and its arrival. */
  get(key: string): T | undefined {
    const shown = this.#shown.get(key);
    if (shown) return shown.value;
    void this.keys.value;
    return undefined;
  }

  /** All that the screen shows, without following any of it: that is what `changes` is for. */
  all(): T[] {
    return this.keys.peek().flatMap((key) => this.#shown.get(key)?.peek() ?? []);
  }

  beginList(): void {
    this.#listed = new Set();
  }

  apply({ type, object }: WatchEvent): void {
    const key = keyOf(object);
    if (type === 'BOOKMARK') return;
    if (type === 'DELETED') {
      this.#objects.delete(key);
      this.#listed?.delete(key);
    } else {
      this.#objects.set(key, object as T);
      this.#listed?.add(key);
    }
    this.#dirty.add(key);
    this.#changed();
  }

  endList(): void {
    const listed = this.#listed;
    if (listed) {
      for (const key of this.#objects.keys()) {
        if (listed.has(key)) continue;
        this.#objects.delete(key);
        this.#dirty.add(key);
      }
    }
    this.#listed = undefined;
    this.#complete = true;
    this.#changed();
  }

  flush(): void {
    let moved = false;
    for (const key of this.#dirty) if (this.#show(key)) moved = true;
    if (moved) this.keys.value = [...this.#objects.values()].sort(newestFirst).map(keyOf);
    if (this.#dirty.size > 0) this.changes.value++;
    this.#dirty.clear();
    this.loaded.value = this.#complete;
  }

  /** Returns whether the set or the order of the keys has changed by it. */
  #show(key: string): boolean {
    const object = this.#objects.get(key);
    const shown = this.#shown.get(key);
    if (!shown) {
      if (object) this.#shown.set(key, signal<T | undefined>(object));
      return object !== undefined;
    }
    const before = shown.peek()?.metadata.creationTimestamp;
    shown.value = object;
    if (!object) this.#shown.delete(key);
    return !object || object.metadata.creationTimestamp !== before;
  }
}
