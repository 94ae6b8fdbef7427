import { describe, expect, it } from 'vitest';
import { sorted } from './list_state';

const sorters = [{ name: 'size', title: () => 'Size', key: ({ size }: { size: number }) => size }];
const things = [
  { name: 'b', size: 2 },
  { name: 'a', size: 1 },
  { name: 'c', size: 2 },
];
const names = (descending: boolean | undefined) =>
  sorted(things, descending === undefined ? undefined : { field: 'size', descending }, sorters)
    .map(({ name }) => name)
    .join('');

describe('things in order', () => {
  it('are sorted either way, and what is equal stays as it was', () => {
    expect(names(false)).toBe('abc');
    expect(names(true)).toBe('bca');
  });

  it('stay as they were without an order, or with an unknown one', () => {
    expect(names(undefined)).toBe('bac');
    expect(sorted(things, { field: 'nonsense', descending: true }, sorters)).toEqual(things);
  });
});
