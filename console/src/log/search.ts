// Finding lines: an expression out of what was typed, and which lines it matches. No screen in here.
import { withoutColours } from './ansi';
import type { Line } from './lines';
import { readable } from './segments';

export interface Query {
  text: string;
  regex: boolean;
  matchCase: boolean;
}

/** Undefined when nothing is looked for. An expression that is none is told in the browser's words. */
export function expressionOf(query: Query): { expression?: RegExp; problem?: string } {
  if (query.text === '') return {};
  const source = query.regex ? query.text : query.text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  try {
    return { expression: new RegExp(source, query.matchCase ? 'g' : 'gi') };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Counted for all searches, since lines remember the number only. */
let rounds = 0;

/**
 * Which lines match. Remembered in the lines themselves, so that each is looked at once a query, however often
 * others come between; looks for a few milliseconds at a time, so that the page stays quick.
 */
export class Search {
  /** Places of the lines that match, as far as looked. */
  hits: number[] = [];
  expression: RegExp | undefined;

  #round = 0;

  begin(expression: RegExp | undefined): void {
    this.expression = expression;
    this.hits = [];
    this.#round = ++rounds;
  }

  /** Looks on, for about that long. Returns whether all lines are known. `hits` is renewed in any case. */
  look(lines: readonly Line[], milliseconds: number, now: () => number): boolean {
    const expression = this.expression;
    this.hits = [];
    if (!expression) return true;
    const end = now() + milliseconds;
    let looked = 0;
    for (let i = 0; i < lines.length; i++) {
      const line = lines[i] as Line;
      if (Math.abs(line.hit) !== this.#round) {
        if ((++looked & 255) === 0 && now() > end) return false;
        expression.lastIndex = 0;
        line.hit = expression.test(readable(line)) ? this.#round : -this.#round;
      }
      if (line.hit > 0) this.hits.push(i);
    }
    return true;
  }
}

/** The number of the hit to go to from a line: the next one, or the one before, or round to the other end. */
export function hitFrom(hits: readonly number[], line: number, forwards: boolean): number {
  if (hits.length === 0) return -1;
  const next = forwards ? hits.findIndex((at) => at > line) : hits.findLastIndex((at) => at < line);
  return next >= 0 ? next : forwards ? 0 : hits.length - 1;
}

// As programs, Python and the usual loggers write them; a word such as "errors: 0" or "error_rate" is none.
const error = new RegExp(
  [
    '^Traceback \\(most recent call last\\)',
    '\\b[A-Z]\\w*(?:Error|Exception)\\b(?!s?=)',
    '\\b(?:ERROR|FATAL|CRITICAL|PANIC)\\b',
    '(?:^|[\\s\\[(])(?:error|fatal|panic)(?:[:\\]]| \\[)',
    '\\b[Ss]egmentation fault\\b|\\b[Cc]ore dumped\\b|\\bOut of memory\\b|\\bOOM\\b',
    ': (?:command not found|not found|No such file or directory|Permission denied)$',
  ].join('|'),
);

export function looksLikeError(text: string): boolean {
  return error.test(withoutColours(text));
}

export function firstError(lines: readonly Line[]): number {
  return lines.findIndex(({ text }) => looksLikeError(text));
}
