import type { Colour, Style } from './ansi';
import type { Line } from './lines';
import type { Segment } from './segments';

/** What stands before the text of a line. */
export interface RowLook {
  times: boolean;
  /** The names of the logs by their numbers, where there are several; else empty. */
  tags: readonly string[];
  /** Which of the colours a log has. */
  colours: readonly number[];
  /** Where a link to the line leads; undefined: there are no links. */
  href: ((line: Line) => string) | undefined;
  tagColumns: number;
  /** How many columns all that takes. */
  prefixColumns: number;
}

const numberColumns = 8;
const timeColumns = 14;

export function rowLook(parts: Omit<RowLook, 'tagColumns' | 'prefixColumns'>): RowLook {
  const tagColumns = Math.max(0, ...parts.tags.map((name) => name.length + 2));
  const prefixColumns = numberColumns + (parts.times ? timeColumns : 0) + tagColumns;
  return { ...parts, tagColumns, prefixColumns };
}

/** Colours of the page's palette are classes, so that both themes can be read; others as they are. */
function paint(element: HTMLElement, colour: Colour | undefined, ground: boolean): void {
  if (typeof colour === 'number') element.classList.add(`${ground ? 'bg' : 'fg'}${colour}`);
  else if (colour && ground) element.style.backgroundColor = colour;
  else if (colour) element.style.color = colour;
}

export function segmentNode({ text, style, mark, hit }: Segment): Node {
  const node = document.createTextNode(text);
  if (!mark && !hit && Object.keys(style).length === 0) return node;
  const element = document.createElement(hit ? 'mark' : 'span');
  element.append(node);
  if (mark) element.classList.add('spelled');
  const names: (keyof Style)[] = ['bold', 'dim', 'italic', 'underline', 'strike'];
  for (const name of names) if (style[name]) element.classList.add(name);
  if (!hit) {
    paint(element, style.inverse ? (style.bg ?? 0) : style.fg, false);
    paint(element, style.inverse ? (style.fg ?? 7) : style.bg, true);
  }
  return element;
}

const two = (n: number, digits = 2) => String(n).padStart(digits, '0');

/** In the browser's zone, to the millisecond; the whole time is in the tooltip. */
function clockTime(time: string): string {
  const at = new Date(`${time}Z`);
  if (Number.isNaN(at.getTime())) return '';
  const clock = [at.getHours(), at.getMinutes(), at.getSeconds()].map((n) => two(n)).join(':');
  return `${clock}.${two(at.getMilliseconds(), 3)}`;
}

function prefix(look: RowLook, line: Line): HTMLElement {
  const all = document.createElement('span');
  all.className = 'prefix';
  const number = document.createElement(look.href ? 'a' : 'span');
  number.className = 'number';
  number.textContent = line.number > 0 ? String(line.number) : '';
  if (number instanceof HTMLAnchorElement && look.href) {
    number.href = look.href(line);
    number.tabIndex = -1;
  }
  all.append(number);
  const name = look.tags[line.source];
  if (name !== undefined) {
    const tag = document.createElement('span');
    tag.className = `tag rank${look.colours[line.source] ?? 0}`;
    tag.style.minWidth = `${look.tagColumns}ch`;
    tag.textContent = name;
    all.append(tag);
  }
  if (look.times) {
    const time = document.createElement('time');
    time.title = line.time && `${line.time}Z`;
    time.textContent = clockTime(line.time);
    all.append(time);
  }
  return all;
}

/** One row: of a wrapped line only the first has a number, a name and a time. */
export function lineElement(
  look: RowLook,
  line: Line,
  first: boolean,
  segments: readonly Segment[],
): HTMLElement {
  const row = document.createElement('div');
  row.className = 'row';
  const before = prefix(look, line);
  if (!first) before.classList.add('again');
  const text = document.createElement('span');
  text.className = 'text';
  text.append(...segments.map(segmentNode));
  row.append(before, text);
  return row;
}
