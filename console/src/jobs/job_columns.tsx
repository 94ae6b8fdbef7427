import type { Column } from '../list/columns';
import { createdColumn, labelColumn, projectColumn } from '../list/common_columns';
import { bytes, cores, noAmount, requestAndLimit } from '../quantity';
import { Duration } from '../time';
import { amountsOf, extendedOf, type Job, queueOf, runSpan } from './job';

function extendedText(job: Job): string {
  const amounts = amountsOf(job);
  const names = extendedOf(job).map((name) => `${name}: ${amounts.get(name)?.limit ?? '-'}`);
  return names.join(', ') || '-';
}

/** Those that can be hidden; status, name and actions are always there. */
export const jobColumns: readonly Column<Job>[] = [
  labelColumn,
  projectColumn,
  { name: 'jobType', title: (t) => t.jobType, cell: (job) => job.kind },
  { name: 'queue', title: (t) => t.queue, cell: queueOf, hiddenAtFirst: true },
  {
    name: 'cpu',
    title: (t) => t.cpu,
    cell: (job) => requestAndLimit(amountsOf(job).get('cpu') ?? noAmount, cores),
  },
  {
    name: 'memory',
    title: (t) => t.memory,
    cell: (job) => requestAndLimit(amountsOf(job).get('memory') ?? noAmount, bytes),
  },
  {
    name: 'extended',
    title: (t) => t.filters.extended,
    cell: extendedText,
    hiddenAtFirst: true,
  },
  {
    name: 'duration',
    title: (t) => t.duration,
    cell: (job) => <Duration {...runSpan(job)} />,
    hiddenAtFirst: true,
  },
  createdColumn,
];
