import { batch } from '@preact/signals';

/** Four times a second is as fast as one reads; drawing each change of a busy cluster would fill the processor. */
const interval = 250;

/** After a rest the first change need not wait that long, only for those that come along with it. */
const first = 30;

const waiting = new Set<() => void>();
let timer: ReturnType<typeof setTimeout> | undefined;
let last = 0;

/** Runs `task` at the next flush, once however often it was asked for. A hidden tab draws when it returns. */
export function flushSoon(task: () => void): void {
  waiting.add(task);
  timer ??= setTimeout(flush, Math.max(first, last + interval - performance.now()));
}

function flush(): void {
  timer = undefined;
  if (document.visibilityState === 'hidden') return;
  last = performance.now();
  const tasks = [...waiting];
  waiting.clear();
  batch(() => {
    for (const task of tasks) task();
  });
}

export function startFlush(): void {
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible' && timer === undefined && waiting.size > 0) flush();
  });
}
