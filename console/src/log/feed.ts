import { type Signal, signal } from '@preact/signals';
import type { Streams } from '../live/protocol';
import { type Line, LineBuffer, maxLines } from './lines';
import type { LogDoor, LogPlace } from './log_door';
import { type LogState, LogStream } from './log_stream';
import { LogWindow } from './window';

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
  /** Another one shows its lines. */
  forgotten: boolean;
}

/** So many colours has the palette of ranks. */
export const rankColours = 12;

/** How many lines come at once, of all logs together and at least of each. */
const piece = 4000;
const leastPiece = 250;

function keyOf({ namespace, pod, uid, container, previous }: LogPlace): string {
  return [namespace, pod, uid, container, previous].join(' ');
}

function isSamePod(one: LogPlace, other: LogPlace): boolean {
  const sameUid = one.uid === other.uid || one.uid === '' || other.uid === '';
  return one.pod === other.pod && sameUid && one.previous === other.previous;
}

/** The lines of a part of a log, as it came from the server. */
export function linesOf(source: number, first: number, text: string): Line[] {
  const buffer = new LineBuffer(source, Number.POSITIVE_INFINITY);
  buffer.goOn(first);
  buffer.append(text);
  return buffer.take().added;
}

/**
 * The lines of some logs, followed and put in the order of their times. Logs that come later (a replica that was
 * started again) join; the lines of those that go stay. Only a part is here: others are fetched when they are wanted.
 */
export class LogFeed {
  readonly window: LogWindow;
  /** How each log stands that is still wanted. */
  readonly states: Signal<readonly { tag: string; state: LogState }[]> = signal([]);
  /** What came on asking is not all that is there, since the server did not answer. */
  readonly problem = signal<string | undefined>(undefined);
  /** What was asked for is there, and waits to be taken. */
  onArrived: () => void = () => {};

  #streams: Streams;
  #door: LogDoor;
  #changed: () => void;
  #fed: Fed[] = [];
  /** What is asked for is void as soon as another part is wanted. */
  #round = 0;
  #asking = false;
  #arrived: (() => void) | undefined;

  constructor(streams: Streams, door: LogDoor, changed: () => void, bound: number = maxLines) {
    this.#streams = streams;
    this.#door = door;
    this.#changed = changed;
    this.window = new LogWindow(bound);
  }

  get all() {
    return this.window.all;
  }

  tags(): string[] {
    return this.#fed.map(({ source }) => source.tag);
  }

  /** Those that are still wanted, with their numbers. */
  places(): { source: number; place: LogPlace }[] {
    return this.#fed.flatMap(({ source, live }, number) =>
      live ? [{ source: number, place: source }] : [],
    );
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
      else if (fed.live) {
        this.#end(fed);
        // The same log, of which more is known now: its lines come again.
        const again = [...wanted.values()].some((other) => isSamePod(fed.source, other));
        if (again) {
          fed.forgotten = true;
          this.window.forget(this.#fed.indexOf(fed));
        }
      }
    }
    const tail = pieceOf(sources.length);
    for (const source of wanted.values()) this.#begin(source, tail);
  }

  /**
   * Moves what has come to the window. Returns the lines that have no end yet. Who reads older lines keeps these when
   * it is too much, who follows keeps the newest.
   */
  take(following: boolean): Line[] {
    const unfinished: Line[] = [];
    this.#fed.forEach(({ buffer, stream, forgotten }, number) => {
      const taken = buffer.take();
      if (forgotten) return;
      if (taken.cleared && !this.window.detached) {
        this.window.reset(number, taken.added[0]?.number ?? buffer.next);
      }
      this.window.tell(number, {
        kept: stream.extent.kept,
        last: Math.max(stream.extent.last, buffer.next - 1),
      });
      if (this.window.detached) return;
      this.window.append(number, taken.added);
      if (taken.unfinished) unfinished.push(taken.unfinished);
    });
    const arrived = this.#arrived;
    this.#arrived = undefined;
    if (arrived) {
      this.#asking = false;
      arrived();
    }
    this.window.settle();
    this.window.trim(!following);
    return this.window.detached ? [] : unfinished;
  }

  /** Fetches lines that come before those that are here. */
  earlier(): void {
    const wanted = this.places().filter(({ source }) => this.window.hasEarlier(source));
    if (wanted.length === 0) return;
    void this.#fetch(async () => {
      const many = pieceOf(wanted.length);
      const parts = await Promise.all(
        wanted.map(async ({ source, place }) => {
          const { first, kept, early } = this.window.shelf(source);
          const enough = early.length >= many;
          const from = Math.max(kept, first - many);
          return { source, lines: enough ? [] : await this.#lines(source, place, from, first - 1) };
        }),
      );
      return () => {
        for (const { source, lines } of parts) this.window.prepend(source, lines);
      };
    });
  }

  /** Fetches lines that come after those that are here; at the end the logs are followed again. */
  later(): void {
    if (!this.window.detached) return;
    const wanted = this.places().filter(({ source }) => this.window.hasLater(source));
    void this.#fetch(async () => {
      const many = pieceOf(wanted.length);
      const parts = await Promise.all(
        wanted.map(async ({ source, place }) => {
          const { next, late } = this.window.shelf(source);
          const enough = late.length >= many;
          return {
            source,
            lines: enough ? [] : await this.#lines(source, place, next, next + many - 1),
          };
        }),
      );
      return () => {
        for (const { source, lines } of parts) this.window.append(source, lines);
        if (!this.places().some(({ source }) => this.#isBehind(source))) {
          this.window.detached = false;
        }
      };
    });
  }

  /** Shows the beginning, or what is around a line; all of it comes anew. */
  jump(to: 'start' | { source: number; line: number; time: string }): Promise<void> {
    this.#forgetAsked();
    return this.#fetch(async () => {
      const places = this.places().filter(({ source }) => this.window.shelf(source).last > 0);
      const many = pieceOf(places.length);
      const parts = await Promise.all(
        places.map(async ({ source, place }) => {
          const { kept, last } = this.window.shelf(source);
          let from = kept;
          if (to !== 'start') {
            const at = source === to.source ? to.line : await this.#door.lineAt(place, to.time);
            from = Math.max(kept, Math.min(at - Math.floor(many / 2), last - many + 1));
          }
          return { source, from, lines: await this.#lines(source, place, from, from + many - 1) };
        }),
      );
      return () => {
        this.window.detached = true;
        for (const { source, from, lines } of parts) {
          this.window.reset(source, from);
          this.window.append(source, lines);
        }
      };
    });
  }

  /** Shows the end again, and follows it. */
  toEnd(): void {
    if (!this.window.detached) return;
    this.#forgetAsked();
    this.window.detached = false;
    this.#fed.forEach(({ live, stream }, source) => {
      if (!live) return;
      this.window.reset(source, this.window.shelf(source).last + 1);
      stream.again();
    });
  }

  close(): void {
    this.#round++;
    for (const fed of this.#fed) this.#end(fed);
  }

  /**
   * One at a time: who scrolls asks often. What comes is put into the window by `take`, so that what is on the screen
   * does not move.
   */
  async #fetch(work: () => Promise<() => void>): Promise<void> {
    if (this.#asking) return;
    const round = this.#round;
    this.#asking = true;
    try {
      const arrived = await work();
      if (round !== this.#round) return;
      this.#arrived = arrived;
      this.problem.value = undefined;
      this.onArrived();
    } catch (error) {
      if (round !== this.#round) return;
      this.#asking = false;
      this.problem.value = error instanceof Error ? error.message : String(error);
    }
  }

  #forgetAsked(): void {
    this.#round++;
    this.#asking = false;
    this.#arrived = undefined;
  }

  /** All of these lines that have ended: long ones come in several answers. */
  async #lines(source: number, place: LogPlace, from: number, wanted: number): Promise<Line[]> {
    const all: Line[] = [];
    // Its stream brings the last line when that is at its end.
    const coming = this.#fed[source]?.buffer.next ?? 0;
    const to = coming > 0 ? Math.min(wanted, coming - 1) : wanted;
    for (let next = from; next <= to; ) {
      const { first, text, kept, last: there } = await this.#door.lines(place, next, to);
      this.window.tell(source, { kept, last: Math.max(there, this.window.shelf(source).last) });
      const lines = linesOf(source, first, text);
      for (const line of lines) all.push(line);
      const end = lines.at(-1);
      if (!end) break;
      next = end.number + 1;
    }
    return all;
  }

  /** Whether lines are missing between what is here and what its stream brings next. */
  #isBehind(source: number): boolean {
    return this.window.shelf(source).next < (this.#fed[source]?.buffer.next ?? 0);
  }

  #begin(source: LogSource, tail: number): void {
    const number = this.window.open();
    const buffer = new LineBuffer(number, maxLines);
    const stream = new LogStream(
      this.#streams,
      source,
      tail,
      () => this.#fed[number]?.source.phase,
      buffer,
      this.#changed,
    );
    this.#fed.push({ source, buffer, stream, live: true, forgotten: false });
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

function pieceOf(logs: number): number {
  return Math.max(leastPiece, Math.ceil(piece / Math.max(1, logs)));
}
