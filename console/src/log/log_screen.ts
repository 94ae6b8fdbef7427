import { signal } from '@preact/signals';
import { flushSoon } from '../live/flush';
import type { Streams } from '../live/protocol';
import { withoutColours } from './ansi';
import { LogFeed, type LogSource } from './feed';
import type { LinePlace } from './line_place';
import type { Line } from './lines';
import { LogView, type ViewState } from './log_view';
import { rowLook } from './row';
import { expressionOf, firstError, hitFrom, type Query, Search } from './search';

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
}

/** How long a search may look before the page gets its turn: less than a frame. */
const slice = 8;

/** Logs on the screen: brings together what feeds them, what shows them and what searches them. */
export class LogScreen {
  readonly feed: LogFeed;
  readonly shown = signal<ViewState>({ from: 0, to: 0, live: true });
  readonly total = signal(0);
  readonly found = signal<Found>({ count: 0, at: 0, problem: undefined });

  #view: LogView;
  #search = new Search();
  #wanted: LinePlace | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(box: HTMLElement, streams: Streams) {
    this.feed = new LogFeed(streams, () => flushSoon(this.#flush));
    const bare = rowLook({ times: false, tags: [], colours: [], href: undefined });
    this.#view = new LogView(box, this.feed.all, bare);
    this.#view.onChange = (state) => {
      this.shown.value = state;
    };
  }

  close(): void {
    clearTimeout(this.#timer);
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
      nth: line.nth,
    });
    this.#view.look = rowLook({
      times: look.times,
      tags: look.merged ? tags : [],
      colours: this.feed.colours(),
      href: href && ((line) => href(place(line))),
    });
    this.#view.lay();
  }

  /** Goes to that line as soon as it is there. */
  seek(wanted: LinePlace | undefined): void {
    this.#wanted = wanted;
    this.#seek();
  }

  set wrap(wrap: boolean) {
    this.#view.wrap = wrap;
  }

  toTop(): void {
    this.#view.toTop();
  }

  toEnd(): void {
    this.#view.toEnd();
  }

  set live(live: boolean) {
    if (live) this.#view.toEnd();
    else this.#view.rest();
  }

  /** Returns whether there is one. */
  toFirstError(): boolean {
    const place = firstError(this.feed.all.lines);
    if (place >= 0) this.#view.toLine(place);
    return place >= 0;
  }

  find(query: Query): void {
    const { expression, problem } = expressionOf(query);
    this.#search.begin(expression);
    this.#view.expression = expression;
    this.found.value = { count: 0, at: 0, problem };
    this.#view.redraw();
    this.#look();
  }

  toMatch(forwards: boolean): void {
    const { current } = this.#view;
    const from = current ? this.feed.all.indexOf(current) : this.shown.value.from - 1;
    const at = hitFrom(this.#search.hits, from, forwards);
    const line = this.#search.hits[at];
    if (line === undefined) return;
    this.#view.toLine(line);
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
    this.#view.change(() => this.feed.take());
    this.total.value = this.feed.all.lines.length;
    this.#seek();
    this.#look();
  };

  #seek(): void {
    const wanted = this.#wanted;
    if (!wanted) return;
    const tags = this.feed.tags();
    const place = this.feed.all.lines.findIndex(
      ({ time, nth, source }) =>
        time === wanted.time && nth === wanted.nth && tags[source] === wanted.tag,
    );
    if (place < 0) return;
    this.#wanted = undefined;
    this.#view.toLine(place);
  }

  #look = (): void => {
    clearTimeout(this.#timer);
    if (!this.#search.expression) return;
    const done = this.#search.look(this.feed.all.lines, slice, () => performance.now());
    const count = this.#search.hits.length;
    if (count !== this.found.value.count) this.found.value = { ...this.found.value, count };
    if (!done) this.#timer = setTimeout(this.#look);
  };
}
