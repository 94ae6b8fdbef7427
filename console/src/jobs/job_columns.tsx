import { type ReadonlySignal, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { project } from '../frame/project';
import { bytes, cores, noAmount, requestAndLimit } from '../quantity';
import { recall, remember } from '../remembered';
import { Age, Duration } from '../time';
import { Labels } from '../ui/labels';
import type { Words } from '../words/en';
import { amountsOf, extendedOf, type Job, queueOf } from './job';

/** The columns that can be hidden; status, name and actions are always there. */
export const columns = [
  'labels',
  'project',
  'jobType',
  'queue',
  'cpu',
  'memory',
  'extended',
  'duration',
  'created',
] as const;
export type Column = (typeof columns)[number];

const hiddenAtFirst = 'queue,extended,duration';

export function hiddenColumns(stored: string | null): Set<string> {
  return new Set((stored ?? hiddenAtFirst).split(','));
}

const hidden = signal(hiddenColumns(recall('hiddenColumns')));
export const hiddenNow: ReadonlySignal<Set<string>> = hidden;

export function toggleColumn(column: Column): void {
  const next = new Set(hidden.peek());
  if (!next.delete(column)) next.add(column);
  hidden.value = next;
  remember('hiddenColumns', [...next].join(','));
}

/** Where one project was chosen, its name in every row would tell nothing. */
export function shownColumns(): Column[] {
  const one = project.value !== '';
  return columns.filter((column) => !hidden.value.has(column) && !(one && column === 'project'));
}

export function columnTitle(column: Column, t: Words): string {
  return column === 'extended' ? t.filters.extended : t[column];
}

function extendedText(job: Job): string {
  const amounts = amountsOf(job);
  const names = extendedOf(job).map((name) => `${name}: ${amounts.get(name)?.limit ?? '-'}`);
  return names.join(', ') || '-';
}

export function cellOf(column: Column, job: Job): ComponentChildren {
  const { metadata, status } = job;
  switch (column) {
    case 'labels':
      return <Labels labels={metadata.labels} />;
    case 'project':
      return metadata.namespace;
    case 'jobType':
      return job.kind;
    case 'queue':
      return queueOf(job);
    case 'cpu':
      return requestAndLimit(amountsOf(job).get('cpu') ?? noAmount, cores);
    case 'memory':
      return requestAndLimit(amountsOf(job).get('memory') ?? noAmount, bytes);
    case 'extended':
      return extendedText(job);
    case 'duration':
      return (
        <Duration from={status?.startTime ?? undefined} to={status?.completionTime ?? undefined} />
      );
    case 'created':
      return <Age at={metadata.creationTimestamp} />;
  }
}
