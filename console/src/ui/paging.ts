export const pageSizes = [10, 25, 50, 100] as const;

export interface PageOf<T> {
  items: readonly T[];
  page: number;
  /** Counted from 1 as people do; 0 and 0 when there is nothing. */
  first: number;
  last: number;
  total: number;
  pages: number;
}

/** A page that is no longer there (its rows were deleted, the filter has changed) becomes the last one. */
export function pageOf<T>(all: readonly T[], wanted: number, size: number): PageOf<T> {
  const pages = Math.max(1, Math.ceil(all.length / size));
  const page = Math.min(Math.max(0, wanted), pages - 1);
  const items = all.slice(page * size, (page + 1) * size);
  return {
    items,
    page,
    first: items.length === 0 ? 0 : page * size + 1,
    last: page * size + items.length,
    total: all.length,
    pages,
  };
}

export function pageSizeOf(text: string | null): number {
  return pageSizes.find((size) => String(size) === text) ?? pageSizes[0];
}
