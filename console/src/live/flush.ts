import { batch } from '@preact/signals';

/** Four times a second is as fast as one reads; drawing each change of a busy cluster would fill the processor. */
const interval = 250;

const waiting = new Set<() => void>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** Runs `task` at the next flush, once however often it was asked for. A hidden tab draws when it returns. */
export function flushSoon(task: () => void): void {
  waiting.add(task);
  timer ??= setTimeout(flush, interval);
}

function flush(): void {
  timer = undefined;
  if (document.visibilityState === 'hidden') return;
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
