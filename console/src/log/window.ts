// Which lines of some logs are here, put in the order of their times without a gap. No screen in here.
import type { Line } from './lines';
import type { LogExtent } from './log_door';
import { MergedLines } from './merged';

/** What is here of one log: lines without a gap, by their numbers. */
interface Shelf extends LogExtent {
  /** Where the lines that are here begin, and the number behind the last of them. */
  first: number;
  next: number;
  /** Lines that are here and not shown yet: of other logs, what belongs between them is missing. */
  early: Line[];
  late: Line[];
}

const newest = '~';

/**
 * A part of several logs that belong together. A line is shown when all that came before it and after it in the
 * window is here too: where of one log less is here than of the others, these wait for it.
 */
export class LogWindow {
  readonly all: MergedLines;
  /** More lines follow than are here. */
  detached = false;

  #shelves: Shelf[] = [];
  #bound: number;

  constructor(bound: number) {
    this.#bound = bound;
    this.all = new MergedLines(Number.POSITIVE_INFINITY);
  }

  open(): number {
    this.#shelves.push({ kept: 1, last: 0, first: 1, next: 1, early: [], late: [] });
    return this.#shelves.length - 1;
  }

  shelf(source: number): Readonly<Shelf> {
    return this.#at(source);
  }

  /** A log begins anew, at that line. */
  reset(source: number, first: number): void {
    this.all.remove(source);
    Object.assign(this.#at(source), { first, next: first, early: [], late: [] });
  }

  /** Nothing of that log is shown or counted any more. */
  forget(source: number): void {
    this.all.remove(source);
    Object.assign(this.#at(source), { kept: 1, last: 0, first: 1, next: 1, early: [], late: [] });
  }

  tell(source: number, { kept, last }: LogExtent): void {
    Object.assign(this.#at(source), { kept, last });
  }

  /** Lines that come behind those that are here; those that are here already are left out. */
  append(source: number, lines: readonly Line[]): void {
    const shelf = this.#at(source);
    const fresh = lines.filter(
      ({ number, goesOn }) => number >= shelf.next || (goesOn && number === shelf.next - 1),
    );
    if (fresh.length === 0) return;
    // A page that was not looked at for long has missed some.
    if ((fresh[0] as Line).number > shelf.next) this.reset(source, (fresh[0] as Line).number);
    shelf.next = (fresh[fresh.length - 1] as Line).number + 1;
    shelf.last = Math.max(shelf.last, shelf.next - 1);
    if (shelf.late.length > 0) shelf.late = shelf.late.concat(fresh);
    else this.all.add(fresh);
  }

  /** Lines that come before those that are here. */
  prepend(source: number, lines: readonly Line[]): void {
    const shelf = this.#at(source);
    const fresh = lines.filter(({ number }) => number < shelf.first);
    // What was forgotten meanwhile has left a gap.
    if (fresh.at(-1)?.number !== shelf.first - 1) return;
    shelf.first = (fresh[0] as Line).number;
    shelf.early = fresh.concat(shelf.early);
  }

  hasEarlier(source: number): boolean {
    const { first, kept } = this.#at(source);
    return first > kept;
  }

  hasLater(source: number): boolean {
    const { next, last } = this.#at(source);
    return next <= last;
  }

  /** Shows what can be shown. To be called when lines have come. */
  settle(): void {
    const edges = this.#edges();
    let from = '';
    let to = newest;
    this.#shelves.forEach((shelf, source) => {
      const edge = edges[source];
      if (!edge) return;
      if (shelf.first > shelf.kept && edge.first.time > from) from = edge.first.time;
      if (this.detached && shelf.next <= shelf.last && edge.last.time < to) to = edge.last.time;
    });
    for (const line of this.all.takeBefore(from)) this.#at(line.source).early.push(line);
    const late = this.all.takeAfter(to);
    for (let i = late.length - 1; i >= 0; i--) {
      const line = late[i] as Line;
      this.#at(line.source).late.unshift(line);
    }
    const shown: Line[] = [];
    for (const shelf of this.#shelves) {
      const begin = shelf.early.findIndex(({ time }) => time >= from);
      if (begin >= 0) for (const line of shelf.early.splice(begin)) shown.push(line);
      const end = shelf.late.findIndex(({ time }) => time > to);
      const many = end < 0 ? shelf.late.length : end;
      for (const line of shelf.late.splice(0, many)) shown.push(line);
    }
    this.all.add(shown);
  }

  /** Forgets what is too much: the newest lines when the oldest are read, else the oldest. */
  trim(keepOldest: boolean): void {
    const many = this.all.lines.length - this.#bound;
    // Seldom and much, since it moves all that stay.
    if (many < this.#bound * 0.05) return;
    const gone = keepOldest ? this.all.lines.splice(-many) : this.all.lines.splice(0, many);
    if (keepOldest) this.detached = true;
    for (const shelf of this.#shelves) {
      if (keepOldest) shelf.late = [];
      else shelf.early = [];
    }
    for (const { source, number } of gone) {
      const shelf = this.#at(source);
      if (keepOldest) shelf.next = Math.min(shelf.next, number);
      else shelf.first = Math.max(shelf.first, number + 1);
    }
    // What waited behind, of logs of which nothing was shown at that end.
    const edges = this.#edges();
    this.#shelves.forEach((shelf, source) => {
      const edge = edges[source];
      if (edge && keepOldest) shelf.next = edge.last.number + 1;
      if (edge && !keepOldest) shelf.first = edge.first.number;
    });
  }

  /** How many lines of all logs come before the first one that is shown. */
  before(): number {
    const first: (number | undefined)[] = [];
    for (const { source, number } of this.all.lines) first[source] ??= number;
    return this.#shelves.reduce((sum, shelf, source) => {
      const shown = first[source] ?? shelf.late[0]?.number;
      const waiting = shelf.early.at(-1)?.number;
      return sum + (shown !== undefined ? shown - 1 : (waiting ?? shelf.next - 1));
    }, 0);
  }

  /** How many there are, those counted that are no longer kept. */
  total(): number {
    return this.#shelves.reduce((sum, { last, next }) => sum + Math.max(last, next - 1), 0);
  }

  #at(source: number): Shelf {
    return this.#shelves[source] as Shelf;
  }

  /** The first and the last line that is here of each log. */
  #edges(): ({ first: Line; last: Line } | undefined)[] {
    const edges: ({ first: Line; last: Line } | undefined)[] = this.#shelves.map(() => undefined);
    for (const line of this.all.lines) {
      const edge = edges[line.source];
      if (edge) edge.last = line;
      else edges[line.source] = { first: line, last: line };
    }
    this.#shelves.forEach(({ early, late }, source) => {
      const edge = edges[source];
      const first = early[0] ?? edge?.first ?? late[0];
      const last = late.at(-1) ?? edge?.last ?? early.at(-1);
      if (first && last) edges[source] = { first, last };
    });
    return edges;
  }
}
