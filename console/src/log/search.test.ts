import { describe, expect, it } from 'vitest';
import type { FindAnswer, LogDoor } from './log_door';
import {
  compareHits,
  expressionOf,
  firstMatch,
  looksLikeError,
  type Query,
  Search,
} from './search';

const query: Query = { text: 'loss', regex: false, matchCase: false };
const place = { namespace: 'default', pod: 'p', uid: 'u', container: 'c', previous: false };

/** Answers from lines in memory, so many lines an answer. */
class Door implements LogDoor {
  asked: number[] = [];
  logs: string[][];
  part: number;

  constructor(logs: string[][], part = 2) {
    this.logs = logs;
    this.part = part;
  }
  lines = () => Promise.reject(new Error('not asked for'));
  lineAt = () => Promise.reject(new Error('not asked for'));
  find(
    { uid }: { uid: string },
    { text }: Query,
    from: number,
    onlyFirst: boolean,
  ): Promise<FindAnswer> {
    const lines = this.logs[Number(uid)] ?? [];
    this.asked.push(from);
    const part = lines.slice(from - 1, from - 1 + this.part);
    let hits = part.flatMap((line, i) =>
      line.includes(text) ? [{ line: from + i, time: `2026-01-01T00:00:0${line[0]}Z` }] : [],
    );
    if (onlyFirst) hits = hits.slice(0, 1);
    const next = from + part.length;
    return Promise.resolve({
      kept: 1,
      last: lines.length,
      count: hits.length,
      hits,
      next,
      done: next > lines.length,
    });
  }
}

const log = (source: number, last: number) => ({
  source,
  last,
  place: { ...place, uid: String(source) },
});

describe('the expression', () => {
  it('takes what was typed as text unless it is said to be an expression', () => {
    expect('a LOSS'.match(expressionOf(query).expression ?? /x/)).not.toBeNull();
    expect(expressionOf({ ...query, text: '(', regex: true }).problem).toBeDefined();
    expect(expressionOf({ ...query, text: '(' }).problem).toBeUndefined();
    expect(expressionOf({ ...query, text: '' })).toEqual({});
  });
});

describe('search', () => {
  it('goes through all of each log, part by part, and puts what it finds in the order of time', async () => {
    const door = new Door([
      ['1 loss', '2', '5 loss'],
      ['3 loss', '4'],
    ]);
    const search = new Search(door, () => {});
    search.begin(query);
    await search.look([log(0, 3), log(1, 2)]);
    expect(search.count).toBe(3);
    expect(search.hits.map(({ source, line }) => [source, line])).toEqual([
      [0, 1],
      [1, 1],
      [0, 3],
    ]);
    expect(search.hits[0]?.time).toBe('2026-01-01T00:00:01');
    expect(door.asked).toEqual([1, 3, 1]);
  });

  it('looks only at what is new in a log that has grown', async () => {
    const door = new Door([['1 loss', '2', '3']], 10);
    const search = new Search(door, () => {});
    search.begin(query);
    await search.look([log(0, 3)]);
    await search.look([log(0, 3)]);
    door.logs[0]?.push('4 loss');
    await search.look([log(0, 4)]);
    expect(door.asked).toEqual([1, 4]);
    expect(search.count).toBe(2);
  });

  it('goes to the next hit, to the one before, and round to the other end', async () => {
    const search = new Search(new Door([['1 loss', '2', '3 loss']], 10), () => {});
    search.begin(query);
    await search.look([log(0, 3)]);
    const [first, last] = search.hits;
    expect(search.from(undefined, true)).toBe(0);
    expect(search.from(first, true)).toBe(1);
    expect(search.from(last, true)).toBe(0);
    expect(search.from(first, false)).toBe(1);
    expect(compareHits({ source: 0, line: 2, time: '' }, { source: 0, line: 10, time: '' })).toBe(
      -8,
    );
  });

  it('tells what the server says no to', async () => {
    const search = new Search(new Door([[]]), () => {});
    search.begin({ ...query, text: '' });
    await search.look([log(0, 1)]);
    expect(search.problem).toBeUndefined();
    const refused = new Door([]);
    refused.find = () => Promise.reject(new Error('no regular expression'));
    const other = new Search(refused, () => {});
    other.begin(query);
    await other.look([log(0, 1)]);
    expect(other.problem).toBe('no regular expression');
  });
});

describe('the first match', () => {
  it('is the earliest of all logs, however far each has to be looked through', async () => {
    const door = new Door([['1', '2', '3', '6 loss'], ['4', '5 loss'], ['9']], 1);
    const logs = [0, 1, 2].map((source) => log(source, 4));
    expect(await firstMatch(door, logs, query)).toEqual({
      source: 1,
      line: 2,
      time: '2026-01-01T00:00:05',
    });
    expect(await firstMatch(door, [log(2, 1)], query)).toBeUndefined();
  });
});

describe('the first error', () => {
  it.each([
    'Traceback (most recent call last):',
    '[rank1]: ValueError: bad rate',
    'torch.cuda.OutOfMemoryError: CUDA out of memory',
    '2026-11-16 10:00:00 ERROR something',
    '[error] it broke',
    'error: unrecognized arguments: --x',
    'sh: 1: nope: not found',
    '\x1b[31mFATAL\x1b[0m',
    'Segmentation fault (core dumped)',
  ])('is seen: %s', (text) => expect(looksLikeError(text)).toBe(true));

  it.each([
    'errors: 0',
    'error_rate=0.5 mean error 0.1',
    'epoch 1 loss 0.5',
    'catching ValueError=False',
    'no errors were found',
  ])('is not: %s', (text) => expect(looksLikeError(text)).toBe(false));
});
