import { words } from '../i18n';
import { jobKinds, kindId } from '../kinds';
import { CheckItem, Menu, MenuItem } from '../ui/menu';
import type { Words } from '../words/en';
import { type Job, phases, phaseWord } from './job';
import { columns, columnTitle, hiddenNow, toggleColumn } from './job_columns';
import {
  type FilterName,
  filterNames,
  type ListState,
  optionsOf,
  type Sort,
  sortFields,
  toggled,
} from './list_state';

export interface FilterProps {
  state: ListState;
  change: (next: ListState) => void;
}

/** Kinds of one name are told apart by their group. */
function kindWord(id: string): string {
  const found = jobKinds.find((kind) => kindId(kind) === id);
  if (!found) return id;
  const twins = jobKinds.filter(({ kind }) => kind === found.kind);
  return twins.length > 1 ? `${found.kind} (${found.group})` : found.kind;
}

export function valueWord(filter: FilterName, value: string, t: Words): string {
  if (filter === 'phase') return phaseWord(value);
  if (filter === 'kind') return kindWord(value);
  if (filter === 'scheduler' && (value === 'default' || value === 'T9k')) {
    return t.schedulers[value];
  }
  return value;
}

/** Phases, schedulers and kinds are known; the rest is what the jobs have. */
function choices(filter: FilterName, jobs: readonly Job[]): readonly string[] {
  if (filter === 'phase') return phases;
  if (filter === 'scheduler') return ['default', 'T9k'];
  if (filter === 'kind') return jobKinds.map(kindId);
  return optionsOf(filter, jobs);
}

function FilterMenu(props: FilterProps & { filter: FilterName; jobs: readonly Job[] }) {
  const { filter, jobs, state, change } = props;
  const t = words.value;
  return (
    <Menu face={`${t.filters[filter]} ▾`} class="soft">
      {() => {
        const options = choices(filter, jobs);
        if (options.length === 0) return <p class="item">{t.nothingToChoose}</p>;
        return options.map((value) => (
          <CheckItem
            key={value}
            checked={state.filters[filter].includes(value)}
            onChange={() => change(toggled(state, filter, value))}
          >
            {valueWord(filter, value, t)}
          </CheckItem>
        ));
      }}
    </Menu>
  );
}

function ColumnMenu() {
  const t = words.value;
  return (
    <Menu face={`${t.columns} ▾`} class="soft">
      {() =>
        columns.map((column) => (
          <CheckItem
            key={column}
            checked={!hiddenNow.value.has(column)}
            onChange={() => toggleColumn(column)}
          >
            {columnTitle(column, t)}
          </CheckItem>
        ))
      }
    </Menu>
  );
}

export function sortWord({ field, descending }: Sort, t: Words): string {
  const name = { name: t.name, created: t.created, kind: t.jobType, phase: t.phase }[field];
  return t.chip(name, descending ? t.descending : t.ascending);
}

function SortMenu({ state, change }: FilterProps) {
  const t = words.value;
  return (
    <Menu face={`${t.sorter} ▾`} class="soft">
      {() =>
        sortFields.flatMap((field) =>
          [false, true].map((descending) => (
            <MenuItem
              key={`${field} ${descending}`}
              current={state.sort?.field === field && state.sort.descending === descending}
              onClick={() => change({ ...state, page: 0, sort: { field, descending } })}
            >
              {sortWord({ field, descending }, t)}
            </MenuItem>
          )),
        )
      }
    </Menu>
  );
}

export function FilterBar({ jobs, state, change }: FilterProps & { jobs: readonly Job[] }) {
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
      {filterNames.map((filter) => (
        <FilterMenu key={filter} filter={filter} jobs={jobs} state={state} change={change} />
      ))}
      <ColumnMenu />
      <SortMenu state={state} change={change} />
    </search>
  );
}
