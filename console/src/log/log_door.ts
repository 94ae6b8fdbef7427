// What the server tells of one log by the numbers of its lines: a part of it, or which lines hold what is looked for.
import { ask, askAnswer } from '../api';
import type { Query } from './search';

/** Which log is meant. */
export interface LogPlace {
  namespace: string;
  pod: string;
  /** Empty: whichever pod has the name. */
  uid: string;
  container: string;
  /** The run before the last. */
  previous: boolean;
}

/** Which lines there are: those before `kept` are no longer kept. */
export interface LogExtent {
  kept: number;
  last: number;
}

export interface LinesAnswer extends LogExtent {
  /** The number of the first line of the text. */
  first: number;
  text: string;
}

export interface FindAnswer extends LogExtent {
  count: number;
  hits: { line: number; time: string }[];
  next: number;
  done: boolean;
}

/** As the feed and the search ask; tests answer by themselves. */
export interface LogDoor {
  lines(place: LogPlace, from: number, to: number): Promise<LinesAnswer>;
  /** The first line that is not older. */
  lineAt(place: LogPlace, time: string): Promise<number>;
  find(place: LogPlace, query: Query, from: number, onlyFirst: boolean): Promise<FindAnswer>;
}

function address(place: LogPlace, more: Record<string, string>): string {
  const query = new URLSearchParams({ container: place.container, uid: place.uid, ...more });
  if (place.previous) query.set('previous', 'true');
  const pod = `namespaces/${encodeURIComponent(place.namespace)}/pods/${encodeURIComponent(place.pod)}`;
  return `/api/v1/${pod}/log?${query}`;
}

export const serverDoor: LogDoor = {
  async lines(place, from, to) {
    const path = address(place, {
      fromLine: String(from),
      toLine: String(to),
      timestamps: 'true',
    });
    const { text, headers } = await askAnswer('GET', path);
    const number = (name: string) => Number(headers.get(`Trainyard-${name}`) ?? 0);
    return {
      first: number('First-Line'),
      kept: number('Kept-From'),
      last: number('Last-Line'),
      text,
    };
  },
  async lineAt(place, time) {
    const { line } = await ask<{ line: number }>('GET', address(place, { lineAt: `${time}Z` }));
    return line;
  },
  find(place, query, from, onlyFirst) {
    const more: Record<string, string> = { search: query.text, fromLine: String(from) };
    if (query.regex) more.regex = 'true';
    if (query.matchCase) more.matchCase = 'true';
    if (onlyFirst) more.onlyFirst = 'true';
    return ask<FindAnswer>('GET', address(place, { ...more, limit: '5000' }));
  },
};
