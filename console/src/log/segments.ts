// What is drawn of a line: pieces of text with a look, cut into rows of so many columns. No screen in here.
import { parseColours, plain, type Style, withoutColours } from './ansi';
import { pieces } from './inert';
import type { Line } from './lines';

export interface Segment {
  text: string;
  style: Style;
  /** A letter that is spelled out, since it would hide or turn others. */
  mark: boolean;
  /** The search has found it. */
  hit: boolean;
}

const simple = /^[\x20-\x7e]*$/;

function segmentsOf({ text, style }: Line): Segment[] {
  if (style === plain && simple.test(text)) {
    return text === '' ? [] : [{ text, style, mark: false, hit: false }];
  }
  return parseColours(text, style).runs.flatMap((run) =>
    pieces(run.text).map((piece) => ({ ...piece, style: run.style, hit: false })),
  );
}

/** The line as it reads on the screen: what a search looks at. Most lines are letters and colours and nothing else. */
export function readable(line: Line): string {
  const text = withoutColours(line.text);
  if (simple.test(text)) return text;
  return segmentsOf(line)
    .map(({ text }) => text)
    .join('');
}

/** The segments of a line, with what the expression finds in it marked. */
export function markedSegments(line: Line, expression: RegExp | undefined): Segment[] {
  const segments = segmentsOf(line);
  if (!expression) return segments;
  const ranges: [number, number][] = [];
  for (const found of readable(line).matchAll(expression)) {
    if (found[0] !== '') ranges.push([found.index, found.index + found[0].length]);
  }
  return ranges.reduce(markRange, segments);
}

function markRange(segments: Segment[], [from, to]: [number, number]): Segment[] {
  let start = 0;
  return segments.flatMap((segment) => {
    const { text } = segment;
    const left = Math.max(0, from - start);
    const right = Math.min(text.length, to - start);
    start += text.length;
    if (left >= right) return [segment];
    const parts: Segment[] = [
      { ...segment, text: text.slice(0, left) },
      { ...segment, text: text.slice(left, right), hit: true },
      { ...segment, text: text.slice(right) },
    ];
    return parts.filter((part) => part.text !== '');
  });
}

// Letters of East Asia and pictures take two columns of a terminal; marks upon letters none.
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const narrowless = /[\p{Mn}\p{Me}\u200c\u200d]/u;

export function columnsOfLetter(letter: string): number {
  if (letter >= ' ' && letter <= '~') return 1;
  if (narrowless.test(letter)) return 0;
  return wide.test(letter) ? 2 : 1;
}

export function columnsOf(line: Line): number {
  if (line.columns === 0) {
    const text = readable(line);
    line.narrow = simple.test(text);
    if (line.narrow) line.columns = text.length;
    else for (const letter of text) line.columns += columnsOfLetter(letter);
    line.columns = Math.max(1, line.columns);
  }
  return line.columns;
}

/** As many rows as the line needs where each has that many columns. A wide letter may leave one empty. */
export function rowsOf(line: Line, columns: number): number {
  const all = columnsOf(line);
  if (all <= columns) return 1;
  if (line.narrow) return Math.ceil(all / columns);
  return cut(markedSegments(line, undefined), columns).length;
}

/** Cuts what is drawn into rows of so many columns. */
export function cut(segments: readonly Segment[], columns: number): Segment[][] {
  let row: Segment[] = [];
  const rows = [row];
  let used = 0;
  for (const segment of segments) {
    let text = '';
    const close = () => {
      if (text !== '') row.push({ ...segment, text });
      text = '';
    };
    for (const letter of segment.text) {
      const width = columnsOfLetter(letter);
      if (used + width > columns && used > 0) {
        close();
        row = [];
        rows.push(row);
        used = 0;
      }
      text += letter;
      used += width;
    }
    close();
  }
  return rows;
}
