import { signal } from '@preact/signals';
import type { LogRequest, Reply, Stream, Streams } from '../live/protocol';
import { type LineBuffer, maxLines } from './lines';

export type LogState =
  | { kind: 'asked' }
  | { kind: 'waiting' }
  | { kind: 'following' }
  | { kind: 'ended' }
  | { kind: 'failed'; message: string };

/** The pod as the watch knows it at this moment. */
export interface PodView {
  phase: string | undefined;
  container: string;
}

/** Will a pod in this phase write no more? */
function podEnded(phase: string | undefined): boolean {
  return phase === 'Succeeded' || phase === 'Failed' || phase === 'Deleted';
}

/**
 * Follows the log of one pod. `changed` is called when the buffer has something for the screen.
 *
 *   asked ──> following ──> ended      asked again if the pod lives on: its container was started anew
 *     ├──> waiting                     asked again after 1 s
 *     └──> failed                      asked again after 5 s unless the pod had ended
 */
export class LogStream implements Stream {
  readonly state = signal<LogState>({ kind: 'asked' });

  #streams: Streams;
  #namespace: string;
  #pod: string;
  #view: () => PodView;
  #buffer: LineBuffer;
  #changed: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The pod might still write when we asked: then an answer without a log is not the last word. */
  #wasAlive = true;
  /** The server sends the whole tail again: drop the old text, but only when the new is there. */
  #fresh = false;

  constructor(
    streams: Streams,
    namespace: string,
    pod: string,
    view: () => PodView,
    buffer: LineBuffer,
    changed: () => void,
  ) {
    this.#streams = streams;
    this.#namespace = namespace;
    this.#pod = pod;
    this.#view = view;
    this.#buffer = buffer;
    this.#changed = changed;
  }

  start(): void {
    this.#streams.start(this);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#streams.stop(this);
  }

  request(): LogRequest {
    const { phase, container } = this.#view();
    clearTimeout(this.#timer);
    this.#wasAlive = !podEnded(phase);
    this.#fresh = true;
    return {
      log: { namespace: this.#namespace, pod: this.#pod, container, tailLines: maxLines },
    };
  }

  receive({ text, end, error }: Reply): void {
    if (text !== undefined) {
      if (this.#fresh) this.#buffer.clear();
      this.#fresh = false;
      this.#buffer.append(text);
      this.state.value = { kind: 'following' };
      this.#changed();
    } else if (end) {
      this.state.value = { kind: 'ended' };
      // It ends with the container, and the container may be started again while the pod lives on.
      if (this.#wasAlive) this.#later(2000, () => !podEnded(this.#view().phase));
    } else if (error) {
      const waiting = error.code === 400 && error.message.includes('waiting to start');
      this.state.value =
        waiting && this.#wasAlive
          ? { kind: 'waiting' }
          : { kind: 'failed', message: error.message };
      if (this.#wasAlive) this.#later(waiting ? 1000 : 5000, () => true);
    }
  }

  #later(milliseconds: number, still: () => boolean): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (still()) this.#streams.restart(this);
    }, milliseconds);
  }
}
