import { useSignal } from '@preact/signals';
import { words } from '../i18n';

/** Chips, sorted by key; more than two fold away behind the first two. */
export function Labels({ labels }: { labels: Record<string, string> | undefined }) {
  const unfolded = useSignal(false);
  const all = Object.entries(labels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  if (all.length === 0) return <>-</>;
  const shown = unfolded.value ? all : all.slice(0, 2);
  return (
    <span class="chips">
      {shown.map(([key, value]) => (
        <span key={key} class="chip" title={`${key}: ${value}`}>
          <span>
            {key}: {value}
          </span>
        </span>
      ))}
      {shown.length < all.length && (
        <button
          type="button"
          class="plain"
          onClick={() => {
            unfolded.value = true;
          }}
        >
          {words.value.showAll}
        </button>
      )}
    </span>
  );
}
