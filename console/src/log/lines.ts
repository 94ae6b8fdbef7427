import { onlyColours, parseColours, plain, type Style } from './ansi';

/** As many lines as the page keeps of all logs that it shows together; the server has the others. */
export const maxLines = 50_000;
const maxLineLength = 10_000;

export interface Line {
  /** In UTC, without its Z, so that times compare as texts. */
  time: string;
  /** Which line of its log it is, from 1 on; 0: nobody knows. */
  number: number;
  /** It goes on with the line before, which is too long for one. */
  goesOn: boolean;
  /** What a terminal would show, with its colours as codes. */
  text: string;
  /** The number of the log that it is from. */
  source: number;
  /** The style in which it begins, where lines before have left one. */
  style: Style;
  /** How wide it is on the screen; 0: not measured yet. */
  columns: number;
  /** Measured, and each of its letters is one column wide. */
  narrow: boolean;
}

function withTabs(text: string): string {
  if (!text.includes('\t')) return text;
  const parts = text.split('\t');
  const last = parts.pop();
  return parts.map((part) => part + ' '.repeat(8 - (part.length % 8))).join('') + last;
}

function withBackspaces(text: string): string {
  if (!text.includes('\b')) return text;
  const out: string[] = [];
  for (const letter of text) {
    if (letter === '\b') out.pop();
    else out.push(letter);
  }
  return out.join('');
}

/** What a terminal would show of the line: a carriage return begins it anew, as progress bars do. */
export function visible(line: string): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  return withTabs(withBackspaces(onlyColours(text.slice(text.lastIndexOf('\r') + 1))));
}

const stamp = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?)Z /;
const longestStamp = 40;

/**
 * Makes lines of a log that arrives in any pieces, each line with its time in front, and holds them until the
 * screen takes them. Bounded whatever comes: a hidden tab takes nothing for hours, and a program may print for ever
 * without a line break.
 */
export class LineBuffer {
  /** It holds about as many lines, and drops the oldest. */
  readonly bound: number;

  #source: number;
  #cleared = false;
  #lines: Line[] = [];
  #rest = '';
  #time = '';
  #number = 0;
  #goesOn = false;
  #style: Style = plain;

  constructor(source: number, bound: number = maxLines) {
    this.#source = source;
    this.bound = bound;
  }

  /** All that was put in is void: what comes next begins at that line. */
  clear(next = 0): void {
    this.#cleared = true;
    this.#lines = [];
    this.#style = plain;
    this.#time = '';
    this.goOn(next);
  }

  /** What comes next begins at that line; the one that had no end yet comes again. */
  goOn(next: number): void {
    this.#rest = '';
    this.#goesOn = false;
    this.#number = next;
  }

  /** The number of the line that comes next, or is not at its end. */
  get next(): number {
    return this.#number;
  }

  append(text: string): void {
    const parts = (this.#rest + text).split('\n');
    this.#rest = parts.pop() ?? '';
    for (const part of parts) {
      this.#lines.push(this.#finish(part));
      if (this.#number > 0) this.#number++;
      this.#goesOn = false;
    }
    this.#shortenRest();
    if (this.#lines.length > this.bound * 1.1) {
      this.#lines.splice(0, this.#lines.length - this.bound);
    }
  }

  /** What has come since the last time, whether all before it is void, and the line that has no end yet. */
  take(): { cleared: boolean; added: Line[]; unfinished: Line | undefined } {
    // The rest is looked at, and comes again.
    const [time, style] = [this.#time, this.#style];
    const rest = this.#rest.length > 0 ? this.#finish(this.#rest) : undefined;
    [this.#time, this.#style] = [time, style];
    const taken = { cleared: this.#cleared, added: this.#lines, unfinished: rest };
    this.#cleared = false;
    this.#lines = [];
    return taken;
  }

  /** A log keeps its own order, whatever the clock of its machine did. */
  #finish(part: string): Line {
    const found = part.length > 20 ? stamp.exec(part.slice(0, longestStamp)) : null;
    if (found?.[1] && found[1] > this.#time) this.#time = found[1];
    const text = visible(found ? part.slice(found[0].length) : part);
    const style = this.#style;
    if (text.includes('\x1b')) this.#style = parseColours(text, style).end;
    // In one piece: there are hundreds of thousands.
    return {
      time: this.#time,
      number: this.#number,
      goesOn: this.#goesOn,
      text,
      source: this.#source,
      style,
      columns: 0,
      narrow: false,
    };
  }

  #shortenRest(): void {
    // What a carriage return has overwritten never shows again. One at the very end may be half of "\r\n".
    const overwritten = this.#rest.lastIndexOf('\r', this.#rest.length - 2);
    if (overwritten >= 0) {
      const front = stamp.exec(this.#rest.slice(0, longestStamp))?.[0] ?? '';
      this.#rest = front + this.#rest.slice(overwritten + 1);
    }
    while (this.#rest.length > maxLineLength + longestStamp) {
      this.#lines.push(this.#finish(this.#rest.slice(0, maxLineLength)));
      this.#rest = this.#rest.slice(maxLineLength);
      this.#goesOn = true;
    }
  }
}
