// Finding lines: an expression out of what was typed, and which lines of some logs it matches, as the server finds
// them. No screen in here.
import { withoutColours } from './ansi';
import type { LogDoor, LogPlace } from './log_door';

export interface Query {
  text: string;
  regex: boolean;
  matchCase: boolean;
}

/** To mark what is on the screen. An expression that is none is told in the browser's words. */
export function expressionOf(query: Query): { expression?: RegExp; problem?: string } {
  if (query.text === '') return {};
  const source = query.regex ? query.text : query.text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  try {
    return { expression: new RegExp(source, query.matchCase ? 'g' : 'gi') };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** A line that matches, wherever it is. */
export interface Hit {
  /** The number of its log. */
  source: number;
  line: number;
  time: string;
}

/** In the order in which lines are shown. */
export function compareHits(a: Hit, b: Hit): number {
  if (a.time !== b.time) return a.time < b.time ? -1 : 1;
  return a.source - b.source || a.line - b.line;
}

/** So many are gone to by next and previous; all are counted. */
export const mostHits = 20_000;

const bare = (time: string) => (time.endsWith('Z') ? time.slice(0, -1) : time);

interface Searched {
  place: LogPlace;
  next: number;
  done: boolean;
}

/** What the server finds in some logs, part by part. */
export class Search {
  hits: Hit[] = [];
  count = 0;
  problem: string | undefined;
  /** It has not looked at all that was there. */
  busy = false;

  #door: LogDoor;
  #changed: () => void;
  #query: Query = { text: '', regex: false, matchCase: false };
  #round = 0;
  #logs = new Map<number, Searched>();

  constructor(door: LogDoor, changed: () => void) {
    this.#door = door;
    this.#changed = changed;
  }

  begin(query: Query): void {
    this.#round++;
    this.#query = query;
    this.hits = [];
    this.count = 0;
    this.problem = undefined;
    this.busy = false;
    this.#logs.clear();
  }

  stop(): void {
    this.#round++;
  }

  /** Looks at what has not been looked at, up to the line that is the last of each log. */
  async look(logs: readonly { source: number; place: LogPlace; last: number }[]): Promise<void> {
    if (this.#query.text === '' || this.busy || this.problem !== undefined) return;
    const wanted = logs.filter(({ source, place, last }) => {
      if (!this.#logs.has(source)) this.#logs.set(source, { place, next: 1, done: false });
      const known = this.#logs.get(source) as Searched;
      return known.next <= last;
    });
    if (wanted.length === 0) return;
    const round = this.#round;
    this.busy = true;
    try {
      for (const { source } of wanted) {
        const log = this.#logs.get(source) as Searched;
        do {
          const found = await this.#door.find(log.place, this.#query, log.next, false);
          if (round !== this.#round) return;
          this.#take(source, found.count, found.hits);
          log.next = found.next;
          log.done = found.done;
          this.#changed();
        } while (!log.done);
      }
    } catch (error) {
      if (round !== this.#round) return;
      this.problem = error instanceof Error ? error.message : String(error);
    }
    this.busy = false;
    this.#changed();
  }

  /** The number of the hit to go to from a line: the next one, or the one before, or round to the other end. */
  from(line: Hit | undefined, forwards: boolean): number {
    const { hits } = this;
    if (hits.length === 0) return -1;
    if (!line) return forwards ? 0 : hits.length - 1;
    const next = forwards
      ? hits.findIndex((hit) => compareHits(hit, line) > 0)
      : hits.findLastIndex((hit) => compareHits(hit, line) < 0);
    return next >= 0 ? next : forwards ? 0 : hits.length - 1;
  }

  #take(source: number, count: number, hits: readonly { line: number; time: string }[]): void {
    this.count += count;
    const room = mostHits - this.hits.length;
    for (const { line, time } of hits.slice(0, room)) {
      this.hits.push({ source, line, time: bare(time) });
    }
    this.hits.sort(compareHits);
  }
}

/** The first line of all logs that matches, by its time. */
export async function firstMatch(
  door: LogDoor,
  logs: readonly { source: number; place: LogPlace }[],
  query: Query,
): Promise<Hit | undefined> {
  const found = await Promise.all(
    logs.map(async ({ source, place }) => {
      for (let next = 1; ; ) {
        const answer = await door.find(place, query, next, true);
        const [hit] = answer.hits;
        if (hit) return { source, line: hit.line, time: bare(hit.time) };
        if (answer.done) return undefined;
        next = answer.next;
      }
    }),
  );
  return found.filter((hit) => hit !== undefined).sort(compareHits)[0];
}

// As programs, Python and the usual loggers write them; a word such as "errors: 0" or "error_rate" is none. Both the
// browser and the server know what is used of expressions here.
export const errorExpression = [
  '^Traceback \\(most recent call last\\)',
  '\\b[A-Z]\\w*(?:Error|Exception)(?:[^\\w=]|$)',
  '\\b(?:ERROR|FATAL|CRITICAL|PANIC)\\b',
  '(?:^|[\\s\\[(])(?:error|fatal|panic)(?:[:\\]]| \\[)',
  '\\b[Ss]egmentation fault\\b|\\b[Cc]ore dumped\\b|\\bOut of memory\\b|\\bOOM\\b',
  ': (?:command not found|not found|No such file or directory|Permission denied)$',
].join('|');
const error = new RegExp(errorExpression);

export function looksLikeError(text: string): boolean {
  return error.test(withoutColours(text));
}
