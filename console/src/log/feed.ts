import { type Signal, signal } from '@preact/signals';
import type { Streams } from '../live/protocol';
import { type Line, LineBuffer, maxLines } from './lines';
import { type LogPlace, type LogState, LogStream } from './log_stream';
import { MergedLines } from './merged';

/** One log of those that are shown together. */
export interface LogSource extends LogPlace {
  /** What its lines are called. Those of one replica share it, whichever pod they came from. */
  tag: string;
  phase: string | undefined;
}

interface Fed {
  source: LogSource;
  buffer: LineBuffer;
  stream: LogStream;
  live: boolean;
}

/** So many colours has the palette of ranks. */
export const rankColours = 12;

function keyOf({ namespace, pod, uid, container, previous }: LogPlace): string {
  return [namespace, pod, uid, container, previous].join(' ');
}

/**
 * The lines of some logs, followed and put in the order of their times. Logs that come later (a replica that was
 * started again) join; the lines of those that go stay.
 */
export class LogFeed {
  readonly all = new MergedLines();
  /** How each log stands that is still wanted. */
  readonly states: Signal<readonly { tag: string; state: LogState }[]> = signal([]);
  /** There was more than is kept here. */
  readonly bounded = signal(false);

  #streams: Streams;
  #changed: () => void;
  #fed: Fed[] = [];

  constructor(streams: Streams, changed: () => void) {
    this.#streams = streams;
    this.#changed = changed;
  }

  tags(): string[] {
    return this.#fed.map(({ source }) => source.tag);
  }

  /** Of each log, by its number: the same for the same tag. */
  colours(): number[] {
    const distinct = [...new Set(this.tags())];
    return this.tags().map((tag) => distinct.indexOf(tag) % rankColours);
  }

  sync(sources: readonly LogSource[]): void {
    const wanted = new Map(sources.map((source) => [keyOf(source), source]));
    for (const fed of this.#fed) {
      const source = wanted.get(keyOf(fed.source));
      wanted.delete(keyOf(fed.source));
      if (source) fed.source = source;
      else if (fed.live) this.#end(fed);
    }
    // Shared out, so that many ranks do not bring many times what the page keeps.
    const tail = Math.max(1000, Math.floor(maxLines / Math.max(1, sources.length)));
    for (const source of wanted.values()) this.#begin(source, tail);
  }

  /** Moves what has come to `all`. Returns the lines that have no end yet. */
  take(): Line[] {
    const fresh: Line[] = [];
    const unfinished: Line[] = [];
    this.#fed.forEach(({ buffer }, number) => {
      const taken = buffer.take();
      if (taken.cleared) this.all.remove(number);
      for (const line of taken.added) fresh.push(line);
      if (taken.unfinished) unfinished.push(taken.unfinished);
      if (taken.added.length >= 1000 && taken.added.length >= buffer.bound) {
        this.bounded.value = true;
      }
    });
    this.all.add(fresh);
    if (this.all.dropped > 0) this.bounded.value = true;
    return unfinished;
  }

  close(): void {
    for (const fed of this.#fed) this.#end(fed);
  }

  #begin(source: LogSource, tail: number): void {
    const number = this.#fed.length;
    const buffer = new LineBuffer(number, tail);
    const stream = new LogStream(
      this.#streams,
      source,
      tail,
      () => this.#fed[number]?.source.phase,
      buffer,
      this.#changed,
    );
    this.#fed.push({ source, buffer, stream, live: true });
    stream.state.subscribe(() => this.#tell());
    stream.start();
  }

  #end(fed: Fed): void {
    fed.live = false;
    fed.stream.stop();
    this.#tell();
  }

  #tell(): void {
    this.states.value = this.#fed
      .filter(({ live }) => live)
      .map(({ source, stream }) => ({ tag: source.tag, state: stream.state.peek() }));
  }
}
