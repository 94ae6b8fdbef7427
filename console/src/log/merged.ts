import { type Line, maxLines } from './lines';

/** What a program writes at once has one time, and may come in parts, the later one first. */
function inOrder(a: Line, b: Line): number {
  if (a.time !== b.time) return a.time < b.time ? -1 : 1;
  return a.source - b.source || a.number - b.number;
}

/**
 * The lines of several logs in the order of their times; those of the same moment in the order of their logs, and of
 * their numbers.
 * Costs as much as comes: what is added is nearly always later than what is there.
 */
export class MergedLines {
  /** To be read only. The array stays the same; what is in it changes. */
  readonly lines: Line[] = [];
  /** How many were dropped from the front, since the page keeps only so many. */
  dropped = 0;

  #bound: number;

  constructor(bound: number = maxLines) {
    this.#bound = bound;
  }

  add(fresh: Line[]): void {
    if (fresh.length === 0) return;
    // Several logs in a row are nearly sorted, and sorting is stable: the pieces of a long line stay in order.
    if (fresh.some((line, i) => i > 0 && inOrder(fresh[i - 1] as Line, line) > 0)) {
      fresh.sort(inOrder);
    }
    const first = fresh[0] as Line;
    const place = this.#placeOf((line) => inOrder(line, first) <= 0);
    if (place === this.lines.length) this.#push(fresh);
    else this.#push(merge(this.lines.splice(place), fresh));
    // Seldom and much, since it moves all that stay.
    if (this.lines.length > this.#bound * 1.05) {
      const many = this.lines.length - this.#bound;
      this.lines.splice(0, many);
      this.dropped += many;
    }
  }

  /** Takes out the lines before that time. */
  takeBefore(time: string): Line[] {
    let end = 0;
    while (end < this.lines.length && (this.lines[end] as Line).time < time) end++;
    return end > 0 ? this.lines.splice(0, end) : [];
  }

  /** Takes out the lines after that time. */
  takeAfter(time: string): Line[] {
    const place = this.#placeOf((line) => line.time <= time);
    return place < this.lines.length ? this.lines.splice(place) : [];
  }

  /** Forgets a log that begins anew. */
  remove(source: number): void {
    const others = this.lines.filter((line) => line.source !== source);
    this.lines.length = 0;
    this.#push(others);
  }

  /** Where a line is now; -1 if it is gone. */
  indexOf(line: Line): number {
    let at = this.#placeOf((other) => other.time <= line.time) - 1;
    while (at >= 0 && this.lines[at] !== line && this.lines[at]?.time === line.time) at--;
    return at >= 0 && this.lines[at] === line ? at : -1;
  }

  /** The first place of which it is not true; it is of all before it. */
  #placeOf(isBefore: (line: Line) => boolean): number {
    let low = 0;
    let high = this.lines.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(this.lines[middle] as Line)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #push(lines: readonly Line[]): void {
    // Not by `push(...lines)`: that many arguments are too many for a call.
    for (const line of lines) this.lines.push(line);
  }
}

function merge(left: readonly Line[], right: readonly Line[]): Line[] {
  const merged: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < left.length && j < right.length) {
    const a = left[i] as Line;
    const b = right[j] as Line;
    if (inOrder(b, a) < 0) {
      merged.push(b);
      j++;
    } else {
      merged.push(a);
      i++;
    }
  }
  for (; i < left.length; i++) merged.push(left[i] as Line);
  for (; j < right.length; j++) merged.push(right[j] as Line);
  return merged;
}
