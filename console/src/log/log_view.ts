import type { Line } from './lines';
import type { MergedLines } from './merged';
import { lineElement, type RowLook } from './row';
import { columnsOf, cut, markedSegments, rowsOf } from './segments';

const rowHeight = 18;
/** Browsers cannot make elements as high as a long log is when wrapped. */
const maxHeight = 10_000_000;
/** Rows beyond the edges, so that a slow drawing shows no gap. */
const margin = 20;
/** More is fetched when so few rows are left beyond the edge. */
const edgeRows = 300;

export interface ViewState {
  /** The lines on the screen, counted from 0; `to` is behind the last. */
  from: number;
  to: number;
  live: boolean;
}

/**
 * The lines on the screen: only the rows in sight are elements, each of the same height, whatever the number of
 * lines. It keeps to the end while `live`, and otherwise to the line on top, also when others come before it.
 */
export class LogView {
  live = true;
  look: RowLook;
  expression: RegExp | undefined;
  /** The one that a search or a link has led to. */
  current: Line | undefined;
  onChange: (state: ViewState) => void = () => {};
  /** Told while an end of what is here is near: there may be more. */
  onEdge: (edge: 'top' | 'end') => void = () => {};
  /** Whether the end of what is here is that of the log. */
  canFollow: () => boolean = () => true;

  #box: HTMLElement;
  #sizer = document.createElement('div');
  #window = document.createElement('div');
  #all: MergedLines;
  #unfinished: Line[] = [];
  #wrap = false;
  /** With wrapping: the first row of each line, and at the end the number of all rows. */
  #starts = new Uint32Array(1);
  #letter = 8;
  #widest = 0;
  #drawn = '';
  #frame = 0;
  /** Where it has scrolled to by itself. */
  #placed = -1;
  #observer: ResizeObserver;

  constructor(box: HTMLElement, all: MergedLines, look: RowLook) {
    this.#box = box;
    this.#all = all;
    this.look = look;
    this.#sizer.className = 'sizer';
    this.#window.className = 'window';
    this.#sizer.append(this.#window);
    box.replaceChildren(this.#sizer);
    this.#measure();
    box.addEventListener('scroll', this.#scrolled, { passive: true });
    this.#observer = new ResizeObserver(() => this.lay());
    this.#observer.observe(box);
  }

  close(): void {
    cancelAnimationFrame(this.#frame);
    this.#observer.disconnect();
    this.#box.removeEventListener('scroll', this.#scrolled);
  }

  get wrap(): boolean {
    return this.#wrap;
  }

  set wrap(wrap: boolean) {
    const top = this.#lineAt(this.#topRow());
    this.#wrap = wrap;
    this.#box.scrollLeft = 0;
    this.#layFrom(top);
  }

  /** Lets `change` alter the lines, and shows them without moving what is being read. */
  change(change: () => Line[]): void {
    const top = this.#topRow();
    const index = this.#lineAt(top);
    const anchor = this.#all.lines[index];
    const into = top - this.#rowOf(index);
    this.#unfinished = change();
    this.#lay();
    if (!this.live && anchor) {
      const now = this.#all.indexOf(anchor);
      if (now >= 0 && now !== index) this.#scrollToRow(this.#rowOf(now) + into);
    }
    this.redraw();
  }

  /** Draws anew, also where the place is the same. */
  redraw(): void {
    this.#drawn = '';
    if (this.live) this.#box.scrollTop = this.#box.scrollHeight;
    this.#draw();
  }

  /** Stays where it is, whatever comes. */
  rest(): void {
    this.live = false;
    this.#draw();
  }

  /** To be called when the look has changed: another width of what stands before the lines wraps them anew. */
  lay(): void {
    this.#layFrom(this.#lineAt(this.#topRow()));
  }

  toTop(): void {
    this.live = false;
    this.#box.scrollTop = 0;
    this.redraw();
  }

  toEnd(): void {
    this.live = true;
    this.redraw();
  }

  /** Brings a line to the middle, and marks it. */
  toLine(index: number): void {
    this.live = false;
    this.current = this.#all.lines[index];
    this.#scrollToRow(this.#rowOf(index) - Math.floor(this.#rowsInSight() / 2));
    this.redraw();
  }

  #measure(): void {
    const probe = document.createElement('span');
    probe.className = 'probe';
    probe.textContent = 'M'.repeat(100);
    this.#box.append(probe);
    this.#letter = probe.getBoundingClientRect().width / 100 || 8;
    probe.remove();
  }

  #lines(): number {
    return this.#all.lines.length + this.#unfinished.length;
  }

  #line(index: number): Line | undefined {
    return this.#all.lines[index] ?? this.#unfinished[index - this.#all.lines.length];
  }

  /** Columns that a line's own text has when wrapped. */
  #columns(): number {
    const inner = this.#box.clientWidth - 2 * 12;
    return Math.max(20, Math.floor(inner / this.#letter) - this.look.prefixColumns);
  }

  /** Lays anew, with that line on top unless the end is followed. */
  #layFrom(top: number): void {
    this.#lay();
    if (!this.live) this.#scrollToRow(this.#rowOf(top));
    this.redraw();
  }

  /** Which rows belong to which line, and how large all is. */
  #lay(): void {
    const count = this.#lines();
    if (this.#wrap) {
      const columns = this.#columns();
      this.#starts = new Uint32Array(count + 1);
      let row = 0;
      for (let i = 0; i < count; i++) {
        this.#starts[i] = row;
        row += rowsOf(this.#line(i) as Line, columns);
      }
      this.#starts[count] = row;
    }
    const height = Math.min(maxHeight, this.#rows() * rowHeight);
    this.#sizer.style.height = `${height}px`;
  }

  #rows(): number {
    return this.#wrap ? (this.#starts.at(-1) ?? 0) : this.#lines();
  }

  #rowOf(line: number): number {
    return this.#wrap ? (this.#starts[Math.min(line, this.#starts.length - 1)] ?? 0) : line;
  }

  #lineAt(row: number): number {
    if (!this.#wrap) return row;
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= row) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #rowsInSight(): number {
    return Math.ceil(this.#box.clientHeight / rowHeight);
  }

  /** How many pixels of the log one pixel of the scroll bar stands for: 1 unless the log is too high. */
  #scale(): number {
    const full = this.#rows() * rowHeight - this.#box.clientHeight;
    const shown = Math.min(maxHeight, this.#rows() * rowHeight) - this.#box.clientHeight;
    return shown > 0 && full > shown ? full / shown : 1;
  }

  #topRow(): number {
    return Math.floor((this.#box.scrollTop * this.#scale()) / rowHeight);
  }

  #scrollToRow(row: number): void {
    this.#box.scrollTop = (Math.max(0, row) * rowHeight) / this.#scale();
    this.#placed = this.#box.scrollTop;
  }

  #scrolled = (): void => {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => {
      // Who scrolls up wants to read; who scrolls to the end wants to follow. A jump to a line is neither.
      if (this.#box.scrollTop !== this.#placed) this.live = this.#atEnd() && this.canFollow();
      this.#draw();
    });
  };

  #atEnd(): boolean {
    // A few pixels of slack: zoomed pages have broken pixel positions.
    const { scrollTop, clientHeight, scrollHeight } = this.#box;
    return scrollTop + clientHeight >= scrollHeight - 8;
  }

  #draw(): void {
    const first = this.#topRow();
    const last = Math.min(this.#rows(), first + this.#rowsInSight());
    const from = Math.max(0, first - margin);
    const to = Math.min(this.#rows(), last + margin);
    const place = `${from} ${to}`;
    if (place !== this.#drawn) {
      this.#drawn = place;
      this.#drawRows(from, to);
    }
    // The part of the first row that is above the upper edge.
    const hidden = this.#box.scrollTop * this.#scale() - first * rowHeight;
    const top = this.#box.scrollTop - hidden - (first - from) * rowHeight;
    this.#window.style.transform = `translateY(${Math.max(0, Math.round(top))}px)`;
    const end = Math.min(this.#lines(), this.#lineAt(last - 1) + 1);
    this.onChange({ from: this.#lineAt(first), to: end, live: this.live });
    if (first < edgeRows) this.onEdge('top');
    if (this.#rows() - last < edgeRows) this.onEdge('end');
  }

  #drawRows(from: number, to: number): void {
    const rows = document.createDocumentFragment();
    const columns = this.#wrap ? this.#columns() : Number.POSITIVE_INFINITY;
    for (let line = this.#lineAt(from); line < this.#lines() && this.#rowOf(line) < to; line++) {
      const shown = this.#line(line) as Line;
      if (!this.#wrap) this.#widest = Math.max(this.#widest, columnsOf(shown));
      const segments = markedSegments(shown, this.expression);
      const parts = this.#wrap ? cut(segments, columns) : [segments];
      parts.forEach((part, i) => {
        const row = this.#rowOf(line) + i;
        if (row < from || row >= to) return;
        const element = lineElement(this.look, shown, i === 0, part);
        if (shown === this.current) element.classList.add('current');
        rows.append(element);
      });
    }
    this.#window.replaceChildren(rows);
    const width = (this.#widest + this.look.prefixColumns + 2) * this.#letter;
    this.#window.style.minWidth = this.#wrap ? '' : `${Math.ceil(width)}px`;
  }
}
