import { describe, expect, it } from 'vitest';
import { plain } from './ansi';
import type { Line } from './lines';
import { expressionOf, firstError, hitFrom, looksLikeError, Search } from './search';

const lines = (...texts: string[]): Line[] =>
  texts.map((text) => ({
    time: '',
    nth: 0,
    text,
    source: 0,
    style: plain,
    hit: 0,
    columns: 0,
    narrow: false,
  }));
const query = { text: '', regex: false, matchCase: false };

function hits(all: Line[], asked: Partial<typeof query>) {
  const search = new Search();
  search.begin(expressionOf({ ...query, ...asked }).expression);
  expect(search.look(all, 1000, () => 0)).toBe(true);
  return search.hits;
}

describe('search', () => {
  const all = lines('Loss: 0.5', 'epoch (1)', 'loss = \x1b[31m0.25\x1b[0m', '');

  it('takes plain text literally, in either case unless told', () => {
    expect(hits(all, { text: 'loss' })).toEqual([0, 2]);
    expect(hits(all, { text: 'loss', matchCase: true })).toEqual([2]);
    expect(hits(all, { text: '(1)' })).toEqual([1]);
    expect(hits(all, {})).toEqual([]);
  });

  it('takes expressions, and sees no colours', () => {
    expect(hits(all, { text: '^loss\\W+\\d', regex: true })).toEqual([0, 2]);
    expect(hits(all, { text: '0.25$', regex: true })).toEqual([2]);
  });

  it('says what is wrong with an expression', () => {
    expect(expressionOf({ ...query, text: '(', regex: true }).problem).toMatch(/Invalid/);
    expect(expressionOf({ ...query, text: '(' }).problem).toBeUndefined();
  });

  it('looks a little at a time, and at each line once', () => {
    const many = lines(...Array.from({ length: 1000 }, (_, i) => `line ${i}`));
    const search = new Search();
    search.begin(/7$/g);
    let time = 0;
    const clock = () => (time += 10);
    expect(search.look(many, 1, clock)).toBe(false);
    let rounds = 1;
    while (!search.look(many, 1, clock)) rounds++;
    expect(rounds).toBeGreaterThan(1);
    expect(search.hits).toHaveLength(100);
    const before = many[3]?.hit;
    many.unshift(...lines('new 7'));
    search.look(many, 1000, () => 0);
    expect(search.hits[0]).toBe(0);
    expect(many[4]?.hit).toBe(before);
  });

  it('goes to the next, the one before, and round', () => {
    expect(hitFrom([2, 5, 9], 5, true)).toBe(2);
    expect(hitFrom([2, 5, 9], 9, true)).toBe(0);
    expect(hitFrom([2, 5, 9], 2, false)).toBe(2);
    expect(hitFrom([], 2, true)).toBe(-1);
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

  it('is found by its place', () => {
    expect(firstError(lines('fine', 'KeyError: 1', 'ERROR'))).toBe(1);
    expect(firstError(lines('fine'))).toBe(-1);
  });
});
