import { words } from '../i18n';
import type { KubeObject } from '../live/protocol';
import { CheckItem, Menu, MenuItem } from '../ui/menu';
import type { Words } from '../words/en';
import type { Column, HiddenColumns } from './columns';
import {
  type Filter,
  type ListRules,
  type ListState,
  optionsOf,
  type Sort,
  type Sorter,
  toggled,
} from './list_state';

export interface FilterProps<T> {
  rules: ListRules<T>;
  state: ListState;
  change: (next: ListState) => void;
}

export function valueWord<T>({ word }: Filter<T>, value: string, t: Words): string {
  return word?.(value, t) ?? value;
}

interface FilterMenuProps<T> extends Omit<FilterProps<T>, 'rules'> {
  filter: Filter<T>;
  objects: readonly T[];
}

function FilterMenu<T>({ filter, objects, state, change }: FilterMenuProps<T>) {
  const t = words.value;
  return (
    <Menu face={`${filter.title(t)} ▾`} class="soft">
      {() => {
        const options = optionsOf(filter, objects);
        if (options.length === 0) return <p class="item">{t.nothingToChoose}</p>;
        return options.map((value) => (
          <CheckItem
            key={value}
            checked={state.filters[filter.name]?.includes(value) ?? false}
            onChange={() => change(toggled(state, filter.name, value))}
          >
            <span>{valueWord(filter, value, t)}</span>
          </CheckItem>
        ));
      }}
    </Menu>
  );
}

/** One menu a filter. */
export function FilterMenus<T>(props: FilterProps<T> & { objects: readonly T[] }) {
  const { rules, ...rest } = props;
  return (
    <>
      {rules.filters.map((filter) => (
        <FilterMenu key={filter.name} filter={filter} {...rest} />
      ))}
    </>
  );
}

interface ColumnMenuProps<T> {
  columns: readonly Column<T>[];
  hidden: HiddenColumns;
}

export function ColumnMenu<T>({ columns, hidden }: ColumnMenuProps<T>) {
  const t = words.value;
  return (
    <Menu face={`${t.columns} ▾`} class="soft">
      {() =>
        columns.map(({ name, title }) => (
          <CheckItem
            key={name}
            checked={!hidden.now.value.has(name)}
            onChange={() => hidden.toggle(name)}
          >
            {title(t)}
          </CheckItem>
        ))
      }
    </Menu>
  );
}

export function sortWord<T>(
  { field, descending }: Sort,
  sorters: readonly Sorter<T>[],
  t: Words,
): string {
  const title = sorters.find(({ name }) => name === field)?.title(t) ?? field;
  return t.chip(title, descending ? t.descending : t.ascending);
}

export function SortMenu<T>({ rules: { sorters }, state, change }: FilterProps<T>) {
  const t = words.value;
  return (
    <Menu face={`${t.sorter} ▾`} class="soft">
      {() =>
        sorters.flatMap(({ name: field }) =>
          [false, true].map((descending) => (
            <MenuItem
              key={`${field} ${descending}`}
              current={state.sort?.field === field && state.sort.descending === descending}
              onClick={() => change({ ...state, page: 0, sort: { field, descending } })}
            >
              {sortWord({ field, descending }, sorters, t)}
            </MenuItem>
          )),
        )
      }
    </Menu>
  );
}

type FilterBarProps<T> = FilterProps<T> & ColumnMenuProps<T> & { objects: readonly T[] };

export function FilterBar<T extends KubeObject>(props: FilterBarProps<T>) {
  const { rules, state, change, columns, hidden, objects } = props;
  const t = words.value;
  return (
    <search class="filters">
      <input
        type="search"
        aria-label={t.search}
        placeholder={t.search}
        value={state.search}
        onInput={(event) => change({ ...state, page: 0, search: event.currentTarget.value })}
      />
      <FilterMenus rules={rules} objects={objects} state={state} change={change} />
      <ColumnMenu columns={columns} hidden={hidden} />
      <SortMenu rules={rules} state={state} change={change} />
    </search>
  );
}
