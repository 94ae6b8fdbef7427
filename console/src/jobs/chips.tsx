import { words } from '../i18n';
import { type FilterProps, sortWord, valueWord } from './filter_bar';
import { filterNames, readState, toggled } from './list_state';

function Chip({ text, remove }: { text: string; remove: () => void }) {
  return (
    <span class="chip">
      {text}
      <button type="button" class="plain" aria-label={words.value.remove(text)} onClick={remove}>
        ×
      </button>
    </span>
  );
}

/** What is active, each with its own way out, and one way out of all. */
export function Chips({ state, change }: FilterProps) {
  const t = words.value;
  const filters = filterNames.flatMap((name) =>
    state.filters[name].map((value) => [name, value] as const),
  );
  const { sort } = state;
  const active = filters.length > 0 || sort !== undefined;
  return (
    <p class="active">
      <span>{t.filtersAndSort}: </span>
      {!active && '-'}
      {active && (
        <button
          type="button"
          class="plain"
          aria-label={t.clearAll}
          title={t.clearAll}
          onClick={() => change({ ...readState(''), search: state.search })}
        >
          ×
        </button>
      )}
      {filters.map(([name, value]) => (
        <Chip
          key={`${name} ${value}`}
          text={t.chip(t.filters[name], valueWord(name, value, t))}
          remove={() => change(toggled(state, name, value))}
        />
      ))}
      {sort && (
        <Chip
          text={t.chip(t.sort, sortWord(sort, t))}
          remove={() => change({ ...state, page: 0, sort: undefined })}
        />
      )}
    </p>
  );
}
