import { signal } from '@preact/signals';
import type { LogRequest, Reply, Stream, Streams } from '../live/protocol';
import type { LineBuffer } from './lines';
import type { LogExtent, LogPlace } from './log_door';

export type LogState =
  | { kind: 'asked' }
  | { kind: 'waiting' }
  | { kind: 'following' }
  | { kind: 'ended' }
  | { kind: 'failed'; message: string };

/** Will a pod in this phase write no more? */
function podEnded(phase: string | undefined): boolean {
  return phase === 'Succeeded' || phase === 'Failed' || phase === 'Deleted';
}

/**
 * Follows the log of one pod. `changed` is called when the buffer has something for the screen.
 *
 *   asked ──> following ──> ended      asked again if the pod lives on: its container was started anew
 *     ├──> ended                       of a pod that had ended: there is nothing to follow
 *     ├──> waiting                     asked again after 1 s
 *     └──> failed                      asked again after 5 s unless the pod had ended
 */
export class LogStream implements Stream {
  readonly state = signal<LogState>({ kind: 'asked' });
  /** Which lines there were when the server was asked. */
  extent: LogExtent = { kept: 1, last: 0 };

  #streams: Streams;
  #place: LogPlace;
  #tailLines: number;
  #phase: () => string | undefined;
  #buffer: LineBuffer;
  #changed: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The pod might still write when we asked: then an answer without a log is not the last word. */
  #wasAlive = true;
  /** It is not known which lines come now: drop the old text, but only when the new is there. */
  #fresh = false;
  /** What comes next is of another run: all begins anew. */
  #another = true;

  /** `phase` is the pod's as the watch knows it at that moment. */
  constructor(
    streams: Streams,
    place: LogPlace,
    tailLines: number,
    phase: () => string | undefined,
    buffer: LineBuffer,
    changed: () => void,
  ) {
    this.#streams = streams;
    this.#place = place;
    this.#tailLines = tailLines;
    this.#phase = phase;
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
    clearTimeout(this.#timer);
    this.#wasAlive = !this.#place.previous && !podEnded(this.#phase());
    this.#fresh = true;
    // After a lost connection it goes on where it was.
    const fromLine = this.#another ? 0 : this.#buffer.next;
    this.#another = false;
    const { namespace, pod, uid, container, previous } = this.#place;
    const tailLines = this.#tailLines;
    return {
      log: { namespace, pod, uid, container, previous, fromLine, tailLines, timestamps: true },
    };
  }

  /** Shows the end of the log again. */
  again(): void {
    this.#another = true;
    this.#streams.restart(this);
  }

  receive({ text, from, kept, last, end, error }: Reply): void {
    if (from !== undefined) {
      this.extent = { kept: kept ?? 1, last: last ?? 0 };
      if (from === this.#buffer.next) this.#buffer.goOn(from);
      else this.#buffer.clear(from);
      this.#fresh = false;
      this.#changed();
    } else if (text !== undefined) {
      // A server that tells no numbers.
      if (this.#fresh) this.#buffer.clear(1);
      this.#fresh = false;
      this.#buffer.append(text);
      // Of a pod that has ended this is what there is, and its end comes next.
      this.state.value = { kind: this.#wasAlive ? 'following' : 'asked' };
      this.#changed();
    } else if (end) {
      this.state.value = { kind: 'ended' };
      // It ends with the container, and the container may be started again while the pod lives on.
      if (this.#wasAlive) {
        this.#another = true;
        this.#later(2000, () => !podEnded(this.#phase()));
      }
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
