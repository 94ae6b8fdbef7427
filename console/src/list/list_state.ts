// What the user has asked of a list: search, filters, order, page. Pure; the address holds it.
import { newestFirst } from '../live/collection';
import type { KubeObject } from '../live/protocol';
import type { Words } from '../words/en';

export interface Filter<T> {
  /** In the address. */
  name: string;
  title: (t: Words) => string;
  /** What it looks at. */
  values: (object: T) => readonly string[];
  /** What may be asked for, where that is known; else it is what the objects have. */
  choices?: readonly string[];
  word?: (value: string, t: Words) => string;
}

export interface Sorter<T> {
  /** In the address. */
  name: string;
  title: (t: Words) => string;
  key: (object: T) => string | number;
}

export interface ListRules<T> {
  filters: readonly Filter<T>[];
  sorters: readonly Sorter<T>[];
  /** Whole words by which the search finds it, besides a part of its name. */
  words?: (object: T) => readonly string[];
}

export interface Sort {
  field: string;
  descending: boolean;
}

export interface ListState {
  search: string;
  /** By the filters' names. */
  filters: Readonly<Record<string, readonly string[]>>;
  /** Without one: newest first. */
  sort: Sort | undefined;
  /** From 0. */
  page: number;
}

export const byName: Sorter<KubeObject> = {
  name: 'name',
  title: (t) => t.name,
  key: ({ metadata }) => metadata.name,
};

export const byCreation: Sorter<KubeObject> = {
  name: 'created',
  title: (t) => t.created,
  key: ({ metadata }) => metadata.creationTimestamp ?? '',
};

export const byLabel: Filter<KubeObject> = {
  name: 'label',
  title: (t) => t.filters.label,
  values: ({ metadata }) =>
    Object.entries(metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`),
};

/** Everything that may be asked for among these objects. */
export function optionsOf<T>(filter: Filter<T>, objects: readonly T[]): readonly string[] {
  return filter.choices ?? [...new Set(objects.flatMap(filter.values))].sort();
}

/** Filters combine with AND, the values of one with OR. */
function matches<T extends KubeObject>(
  object: T,
  { search, filters }: ListState,
  rules: ListRules<T>,
): boolean {
  const sought = search.trim().toLowerCase();
  const isWord = () => rules.words?.(object).some((word) => word.toLowerCase() === sought);
  if (!object.metadata.name.toLowerCase().includes(sought) && !isWord()) return false;
  return rules.filters.every(({ name, values }) => {
    const wanted = filters[name] ?? [];
    return wanted.length === 0 || values(object).some((value) => wanted.includes(value));
  });
}

/** `otherwise` orders what the sorter does not part. */
function orderBy<T>(
  sort: Sort | undefined,
  sorters: readonly Sorter<T>[],
  otherwise: (a: T, b: T) => number,
): (a: T, b: T) => number {
  const sorter = sorters.find(({ name }) => name === sort?.field);
  if (!sorter) return otherwise;
  const sign = sort?.descending ? -1 : 1;
  return (a, b) => {
    const left = sorter.key(a);
    const right = sorter.key(b);
    if (left === right) return otherwise(a, b);
    return left < right ? -sign : sign;
  };
}

/** Of things that are no objects: what the sorter does not part stays as it was. */
export function sorted<T>(
  items: readonly T[],
  sort: Sort | undefined,
  sorters: readonly Sorter<T>[],
): T[] {
  return [...items].sort(orderBy(sort, sorters, () => 0));
}

export function select<T extends KubeObject>(
  objects: readonly T[],
  state: ListState,
  rules: ListRules<T>,
): T[] {
  return objects
    .filter((object) => matches(object, state, rules))
    .sort(orderBy(state.sort, rules.sorters, newestFirst));
}

export function readState<T>(query: string, rules: ListRules<T>): ListState {
  const read = new URLSearchParams(query);
  const [field = '', direction] = (read.get('sort') ?? '').split(':');
  const known = rules.sorters.some(({ name }) => name === field);
  const page = Number(read.get('page') ?? 1);
  return {
    search: read.get('search') ?? '',
    filters: Object.fromEntries(rules.filters.map(({ name }) => [name, read.getAll(name)])),
    sort: known ? { field, descending: direction === 'desc' } : undefined,
    page: Number.isInteger(page) && page > 0 ? page - 1 : 0,
  };
}

/** Only what differs from the beginning, so that a plain list has a plain address. */
export function writeState({ search, filters, sort, page }: ListState): string {
  const written = new URLSearchParams();
  if (search) written.set('search', search);
  for (const [name, values] of Object.entries(filters)) {
    for (const value of values) written.append(name, value);
  }
  if (sort) written.set('sort', `${sort.field}:${sort.descending ? 'desc' : 'asc'}`);
  if (page > 0) written.set('page', String(page + 1));
  return written.toString();
}

/** A change of what is shown begins at its first page. */
export function toggled(state: ListState, filter: string, value: string): ListState {
  const before = state.filters[filter] ?? [];
  const after = before.includes(value)
    ? before.filter((each) => each !== value)
    : [...before, value];
  return { ...state, page: 0, filters: { ...state.filters, [filter]: after } };
}
