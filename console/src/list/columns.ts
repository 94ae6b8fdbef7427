// Which columns a list shows. Status, name and menu are always there; the browser remembers the rest.
import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { recall, remember } from '../remembered';
import type { Words } from '../words/en';

export interface Column<T> {
  name: string;
  title: (t: Words) => string;
  cell: (object: T) => ComponentChildren;
  /** Its text may be broken into lines. */
  wraps?: true;
  hiddenAtFirst?: true;
  /** Whether it tells anything of these objects now; always, unless said otherwise. */
  tells?: (objects: readonly T[]) => boolean;
}

/** The names that are hidden: those that were chosen, else those that are hidden at first. */
export function hiddenAmong(
  stored: string | null,
  columns: readonly { name: string; hiddenAtFirst?: true }[],
): Set<string> {
  if (stored !== null) return new Set(stored.split(','));
  return new Set(columns.filter((each) => each.hiddenAtFirst).map(({ name }) => name));
}

/** What a list's user has hidden, of this browser. */
export class HiddenColumns {
  readonly #stored: string;
  readonly #hidden: Signal<Set<string>>;

  constructor(stored: string, columns: readonly { name: string; hiddenAtFirst?: true }[]) {
    this.#stored = stored;
    this.#hidden = signal(hiddenAmong(recall(stored), columns));
  }

  get now(): ReadonlySignal<ReadonlySet<string>> {
    return this.#hidden;
  }

  toggle(name: string): void {
    const next = new Set(this.#hidden.peek());
    if (!next.delete(name)) next.add(name);
    this.#hidden.value = next;
    remember(this.#stored, [...next].join(','));
  }
}
