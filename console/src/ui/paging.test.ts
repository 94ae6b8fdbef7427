import { describe, expect, it } from 'vitest';
import { pageOf, pageSizeOf } from './paging';

describe('paging', () => {
  const all = Array.from({ length: 23 }, (_, i) => i);
  it('counts as people do', () => {
    expect(pageOf(all, 0, 10)).toMatchObject({ first: 1, last: 10, total: 23, pages: 3 });
    expect(pageOf(all, 2, 10)).toMatchObject({ first: 21, last: 23, items: [20, 21, 22] });
    expect(pageOf([], 0, 10)).toMatchObject({ first: 0, last: 0, total: 0, pages: 1 });
  });

  it('shows the last page when the wanted one is gone', () => {
    expect(pageOf(all, 99, 10).page).toBe(2);
    expect(pageOf(all, -1, 10).page).toBe(0);
  });

  it('knows its sizes', () => {
    expect(pageSizeOf('50')).toBe(50);
    expect(pageSizeOf('7')).toBe(10);
    expect(pageSizeOf(null)).toBe(10);
  });
});
