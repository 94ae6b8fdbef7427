// What the user has asked of the job list: search, filters, order, page. Pure; the address holds it.
import { newestFirst } from '../live/collection';
import { extendedOf, type Job, kindIdOf, phaseOf, queueOf, schedulerOf } from './job';

export const filterNames = ['label', 'phase', 'scheduler', 'queue', 'kind', 'extended'] as const;
export type FilterName = (typeof filterNames)[number];

export const sortFields = ['name', 'created', 'kind', 'phase'] as const;
export type SortField = (typeof sortFields)[number];

export interface Sort {
  field: SortField;
  descending: boolean;
}

export interface ListState {
  search: string;
  filters: Readonly<Record<FilterName, readonly string[]>>;
  /** Without one: newest first. */
  sort: Sort | undefined;
  /** From 0. */
  page: number;
}

/** What each filter looks at. */
const values: Record<FilterName, (job: Job) => string[]> = {
  label: (job) =>
    Object.entries(job.metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`),
  phase: (job) => [phaseOf(job)],
  scheduler: (job) => [schedulerOf(job)],
  queue: (job) => [queueOf(job)],
  kind: (job) => [kindIdOf(job)],
  extended: extendedOf,
};

/** Everything a filter may ask for among these jobs. */
export function optionsOf(filter: FilterName, jobs: readonly Job[]): string[] {
  return [...new Set(jobs.flatMap(values[filter]))].sort();
}

/** Filters combine with AND, the values of one with OR. */
export function matches(job: Job, { search, filters }: ListState): boolean {
  if (!job.metadata.name.toLowerCase().includes(search.trim().toLowerCase())) return false;
  return filterNames.every((name) => {
    const wanted = filters[name];
    return wanted.length === 0 || values[name](job).some((value) => wanted.includes(value));
  });
}

const sortKeys: Record<SortField, (job: Job) => string> = {
  name: (job) => job.metadata.name,
  created: (job) => job.metadata.creationTimestamp ?? '',
  kind: (job) => job.kind ?? '',
  phase: phaseOf,
};

export function orderBy(sort: Sort | undefined): (a: Job, b: Job) => number {
  if (!sort) return newestFirst;
  const key = sortKeys[sort.field];
  const sign = sort.descending ? -1 : 1;
  return (a, b) => {
    const left = key(a);
    const right = key(b);
    if (left === right) return newestFirst(a, b);
    return left < right ? -sign : sign;
  };
}

export function select(jobs: readonly Job[], state: ListState): Job[] {
  return jobs.filter((job) => matches(job, state)).sort(orderBy(state.sort));
}

export function readState(query: string): ListState {
  const read = new URLSearchParams(query);
  const list = (name: FilterName) => read.getAll(name);
  const [field = '', direction] = (read.get('sort') ?? '').split(':');
  const known = sortFields.find((each) => each === field);
  const page = Number(read.get('page') ?? 1);
  return {
    search: read.get('search') ?? '',
    filters: {
      label: list('label'),
      phase: list('phase'),
      scheduler: list('scheduler'),
      queue: list('queue'),
      kind: list('kind'),
      extended: list('extended'),
    },
    sort: known && { field: known, descending: direction === 'desc' },
    page: Number.isInteger(page) && page > 0 ? page - 1 : 0,
  };
}

/** Only what differs from the beginning, so that a plain list has a plain address. */
export function writeState({ search, filters, sort, page }: ListState): string {
  const written = new URLSearchParams();
  if (search) written.set('search', search);
  for (const name of filterNames) for (const value of filters[name]) written.append(name, value);
  if (sort) written.set('sort', `${sort.field}:${sort.descending ? 'desc' : 'asc'}`);
  if (page > 0) written.set('page', String(page + 1));
  return written.toString();
}

/** A change of what is shown begins at its first page. */
export function toggled(state: ListState, filter: FilterName, value: string): ListState {
  const before = state.filters[filter];
  const after = before.includes(value)
    ? before.filter((each) => each !== value)
    : [...before, value];
  return { ...state, page: 0, filters: { ...state.filters, [filter]: after } };
}
