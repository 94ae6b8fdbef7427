import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { dialogEntry } from '../route';

type Draw = (close: () => void) => ComponentChildren;

interface Shown {
  draw: Draw;
  /** Also what its entry in the history is known by. */
  id: string;
}

const shown = signal<Shown | undefined>(undefined);
let number = 0;

/**
 * One at a time, drawn beside the page: it outlives the row or the menu that asked for it. It has an entry of its own in
 * the history, so that the way back leads out of it and not to another page under it.
 */
export function showDialog(draw: Draw): void {
  number++;
  // Entries outlive the page: a number alone would come again after it was loaded anew.
  const id = `${number} ${performance.timeOrigin}`;
  if (dialogEntry() === undefined) history.pushState({ dialog: id }, '');
  else history.replaceState({ dialog: id }, '');
  shown.value = { draw, id };
}

/** When nothing followed upon the dialog, neither another one nor another page. */
function leaveEntry(id: string): void {
  if (dialogEntry() === id && shown.peek() === undefined) history.back();
}

function close(now: Shown): void {
  if (shown.peek() !== now) return;
  shown.value = undefined;
  // Who closes it may go on to a page, which takes its entry.
  queueMicrotask(() => leaveEntry(now.id));
}

/** The browser has gone to another entry: by the way back, or by a link in the dialog. */
function onMove(): void {
  const now = shown.peek();
  if (!now || dialogEntry() === now.id) return;
  // As by Esc, so that it tidies up and the keyboard returns to where it was.
  const box = document.querySelector<HTMLDialogElement>('dialog[open]');
  if (box) box.close();
  else close(now);
}

export function startDialogs(): void {
  addEventListener('popstate', onMove);
}

export function ShownDialog() {
  const now = shown.value;
  if (!now) return null;
  return <div key={now.id}>{now.draw(() => close(now))}</div>;
}
