import { signal } from '@preact/signals';
import { flushSoon } from '../live/flush';
import type { Streams } from '../live/protocol';
import { withoutColours } from './ansi';
import { LogFeed, type LogSource } from './feed';
import type { LinePlace } from './line_place';
import type { Line } from './lines';
import { type LogDoor, serverDoor } from './log_door';
import { LogView, type ViewState } from './log_view';
import { rowLook } from './row';
import {
  compareHits,
  errorExpression,
  expressionOf,
  firstMatch,
  type Hit,
  type Query,
  Search,
} from './search';

export interface ScreenLook {
  times: boolean;
  /** Several logs in one: each line says whose it is. */
  merged: boolean;
  href: ((place: LinePlace) => string) | undefined;
}

export interface Found {
  /** How many lines match, as far as looked. */
  count: number;
  /** Which of them was gone to last, counted from 1; 0: none yet. */
  at: number;
  problem: string | undefined;
  /** There is more to look at. */
  busy: boolean;
}

/** What there is of the logs, by the numbers of their lines. */
export interface Extent {
  /** How many lines come before the first one that is here. */
  before: number;
  total: number;
  /** Of each log of which the beginning is no longer kept: how many lines that are. */
  gone: readonly { tag: string; lines: number }[];
}

/** Who types does not want each letter searched for. */
const typingPause = 200;
/** A log that grows is looked at again at that pace. */
const growingPause = 1000;

/** Logs on the screen: brings together what feeds them, what shows them and what searches them. */
export class LogScreen {
  readonly feed: LogFeed;
  readonly shown = signal<ViewState>({ from: 0, to: 0, live: true });
  readonly extent = signal<Extent>({ before: 0, total: 0, gone: [] });
  readonly found = signal<Found>({ count: 0, at: 0, problem: undefined, busy: false });

  #door: LogDoor;
  #view: LogView;
  #search: Search;
  #wanted: LinePlace | undefined;
  #typed: ReturnType<typeof setTimeout> | undefined;
  #grown: ReturnType<typeof setTimeout> | undefined;

  constructor(box: HTMLElement, streams: Streams, door: LogDoor = serverDoor) {
    this.#door = door;
    this.feed = new LogFeed(streams, door, () => flushSoon(this.#flush));
    this.#search = new Search(door, this.#tellFound);
    const bare = rowLook({ times: false, tags: [], colours: [], href: undefined });
    this.#view = new LogView(box, this.feed.all, bare);
    this.#view.canFollow = () => !this.feed.window.detached;
    this.#view.onChange = (state) => {
      this.shown.value = state;
    };
    this.#view.onEdge = (edge) => (edge === 'top' ? this.feed.earlier() : this.feed.later());
    this.feed.onArrived = this.#flush;
  }

  close(): void {
    clearTimeout(this.#typed);
    clearTimeout(this.#grown);
    this.#search.stop();
    this.feed.close();
    this.#view.close();
  }

  show(sources: readonly LogSource[], look: ScreenLook): void {
    this.feed.sync(sources);
    const tags = this.feed.tags();
    const { href } = look;
    const place = (line: Line) => ({
      tag: tags[line.source] ?? '',
      time: line.time,
      number: line.number,
    });
    this.#view.look = rowLook({
      times: look.times,
      tags: look.merged ? tags : [],
      colours: this.feed.colours(),
      href: href && ((line) => href(place(line))),
    });
    this.#view.lay();
  }

  /** Goes to that line as soon as its log is there. */
  seek(wanted: LinePlace | undefined): void {
    this.#wanted = wanted;
    void this.#seek();
  }

  set wrap(wrap: boolean) {
    this.#view.wrap = wrap;
  }

  async toTop(): Promise<void> {
    this.#view.rest();
    if (this.extent.value.before > this.#gone()) await this.feed.jump('start');
    this.#view.toTop();
  }

  toEnd(): void {
    this.feed.toEnd();
    this.#view.toEnd();
  }

  set live(live: boolean) {
    if (live) this.toEnd();
    else this.#view.rest();
  }

  /** Returns whether there is one. */
  async toFirstError(): Promise<boolean> {
    const query = { text: errorExpression, regex: true, matchCase: true };
    const hit = await firstMatch(this.#door, this.#logs(), query);
    if (hit) await this.#toHit(hit);
    return hit !== undefined;
  }

  find(query: Query): void {
    this.#search.begin(query);
    const { expression, problem } = expressionOf(query);
    this.#view.expression = expression;
    this.#search.problem = problem;
    this.#tellFound();
    this.#view.redraw();
    clearTimeout(this.#typed);
    this.#typed = setTimeout(this.#look, typingPause);
  }

  async toMatch(forwards: boolean): Promise<void> {
    const from = this.#view.current ?? this.feed.all.lines[this.shown.value.from - 1];
    const at = this.#search.from(from && { ...from, line: from.number }, forwards);
    const hit = this.#search.hits[at];
    if (!hit) return;
    await this.#toHit(hit);
    this.found.value = { ...this.found.value, at: at + 1 };
  }

  /** All that is here, as a text file. */
  text(merged: boolean): string {
    const tags = this.feed.tags();
    const before = ({ time, source }: Line) => (merged ? `${time}Z ${tags[source]} ` : '');
    return this.feed.all.lines
      .map((line) => `${before(line)}${withoutColours(line.text)}\n`)
      .join('');
  }

  #flush = (): void => {
    this.#view.change(() => this.feed.take(this.#view.live));
    this.#tellExtent();
    void this.#seek();
    this.#grown ??= setTimeout(() => {
      this.#grown = undefined;
      this.#look();
    }, growingPause);
  };

  #tellExtent(): void {
    const { window } = this.feed;
    const tags = this.feed.tags();
    const gone = this.feed.places().flatMap(({ source }) => {
      const { kept } = window.shelf(source);
      return kept > 1 ? [{ tag: tags[source] ?? '', lines: kept - 1 }] : [];
    });
    this.extent.value = { before: window.before(), total: window.total(), gone };
  }

  #gone(): number {
    return this.extent.value.gone.reduce((sum, { lines }) => sum + lines, 0);
  }

  async #toHit(hit: Hit): Promise<void> {
    this.#view.rest();
    if (this.#placeOf(hit) < 0) await this.feed.jump(hit);
    const place = this.#placeOf(hit);
    if (place >= 0) this.#view.toLine(place);
  }

  #placeOf(hit: Hit): number {
    const at = ({ source, number, time }: Line) => compareHits({ source, line: number, time }, hit);
    const { lines } = this.feed.all;
    let low = 0;
    let high = lines.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((lines[middle] as Line).time < hit.time) low = middle + 1;
      else high = middle;
    }
    for (; lines[low]?.time === hit.time; low++) if (at(lines[low] as Line) === 0) return low;
    // A log keeps its own order, whatever its clock did.
    return lines.findIndex(({ source, number }) => source === hit.source && number === hit.line);
  }

  /** Several logs may have the same tag: the one that has that line at that time is meant. */
  async #seek(): Promise<void> {
    const wanted = this.#wanted;
    const tags = this.feed.tags();
    const logs = this.#logs().filter(({ source }) => tags[source] === wanted?.tag);
    if (!wanted || logs.length === 0) return;
    this.#wanted = undefined;
    for (const { source, place, last } of logs) {
      const line = await this.#door.lineAt(place, wanted.time).catch(() => 0);
      if (line === 0 || line > last) continue;
      // Many lines come in one piece, and have one time.
      const number = wanted.number >= line ? wanted.number : line;
      await this.#toHit({ source, line: number, time: wanted.time });
      if (this.#view.current?.time === wanted.time) return;
    }
  }

  #look = (): void => void this.#search.look(this.#logs());

  /** Those of which there are lines. */
  #logs() {
    return this.feed.places().flatMap(({ source, place }) => {
      const { last } = this.feed.window.shelf(source);
      return last > 0 ? [{ source, place, last }] : [];
    });
  }

  #tellFound = (): void => {
    const { count, problem, busy, hits } = this.#search;
    const at = hits.length === 0 ? 0 : this.found.value.at;
    this.found.value = { count, at, problem, busy };
  };
}
