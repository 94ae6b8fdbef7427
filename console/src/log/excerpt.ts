// Which lines of a log are shown around the one that tells what went wrong. No screen in here.
import { onlyColours, withoutColours } from './ansi';

export const excerptLines = 20;
/** What is fetched to find that line in: behind it there may be other ranks' tracebacks and the launcher's report. */
export const searchedLines = 1000;

export interface Excerpt {
  lines: string[];
  /** The place among them of the line that tells; undefined: they are the last of the log. */
  telling: number | undefined;
}

/** `told` is the line as the job remembers it: without a rank's tag, and cut off where it is long. */
export function excerptOf(text: string, told: string | undefined): Excerpt {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const wanted = told?.replace(/…$/, '').trim();
  const place = wanted
    ? lines.findLastIndex((line) => withoutColours(onlyColours(line)).includes(wanted))
    : -1;
  if (place < 0) return { lines: lines.slice(-excerptLines), telling: undefined };
  // More of what led to it than of what came of it.
  const before = Math.ceil(excerptLines * 0.6);
  const end = Math.min(lines.length, Math.max(place - before + excerptLines, place + 1));
  const begin = Math.max(0, Math.min(place - before, end - excerptLines));
  return { lines: lines.slice(begin, Math.max(end, begin + excerptLines)), telling: place - begin };
}
