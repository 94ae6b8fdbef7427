import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

type Draw = (close: () => void) => ComponentChildren;

const shown = signal<{ draw: Draw; number: number } | undefined>(undefined);
let number = 0;

/** One at a time, drawn beside the page: it outlives the row or the menu that asked for it. */
export function showDialog(draw: Draw): void {
  number++;
  shown.value = { draw, number };
}

export function ShownDialog() {
  const now = shown.value;
  if (!now) return null;
  const close = () => {
    if (shown.peek() === now) shown.value = undefined;
  };
  return <div key={now.number}>{now.draw(close)}</div>;
}
