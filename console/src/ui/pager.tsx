import { signal } from '@preact/signals';
import { words } from '../i18n';
import { recall, remember } from '../remembered';
import { type PageOf, pageSizeOf, pageSizes } from './paging';

/** One size for all tables, remembered. */
export const pageSize = signal(pageSizeOf(recall('pageSize')));

export function Pager<T>({ shown, go }: { shown: PageOf<T>; go: (page: number) => void }) {
  const t = words.value;
  return (
    <nav class="pager" aria-label={t.rowsPerPage}>
      <label>
        {t.rowsPerPage}{' '}
        <select
          value={String(pageSize.value)}
          onChange={(event) => {
            pageSize.value = pageSizeOf(event.currentTarget.value);
            remember('pageSize', event.currentTarget.value);
            go(0);
          }}
        >
          {pageSizes.map((size) => (
            <option key={size} value={String(size)}>
              {size}
            </option>
          ))}
        </select>
      </label>
      <span class="range">{t.range(shown.first, shown.last, shown.total)}</span>
      <button
        type="button"
        class="plain"
        aria-label={t.previousPage}
        disabled={shown.page === 0}
        onClick={() => go(shown.page - 1)}
      >
        ‹
      </button>
      <button
        type="button"
        class="plain"
        aria-label={t.nextPage}
        disabled={shown.page >= shown.pages - 1}
        onClick={() => go(shown.page + 1)}
      >
        ›
      </button>
    </nav>
  );
}
