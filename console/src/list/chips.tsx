import { words } from '../i18n';
import { type FilterProps, sortWord, valueWord } from './filter_bar';
import { readState, toggled } from './list_state';

function Chip({ text, remove }: { text: string; remove: () => void }) {
  return (
    <span class="chip" title={text}>
      <span>{text}</span>
      <button type="button" class="plain" aria-label={words.value.remove(text)} onClick={remove}>
        ×
      </button>
    </span>
  );
}

/** What is active, each with its own way out, and one way out of all. */
export function Chips<T>({ rules, state, change }: FilterProps<T>) {
  const t = words.value;
  const filters = rules.filters.flatMap((filter) =>
    (state.filters[filter.name] ?? []).map((value) => [filter, value] as const),
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
          onClick={() => change({ ...readState('', rules), search: state.search })}
        >
          ×
        </button>
      )}
      {filters.map(([filter, value]) => (
        <Chip
          key={`${filter.name} ${value}`}
          text={t.chip(filter.title(t), valueWord(filter, value, t))}
          remove={() => change(toggled(state, filter.name, value))}
        />
      ))}
      {sort && (
        <Chip
          text={t.chip(t.sort, sortWord(sort, rules.sorters, t))}
          remove={() => change({ ...state, page: 0, sort: undefined })}
        />
      )}
    </p>
  );
}
