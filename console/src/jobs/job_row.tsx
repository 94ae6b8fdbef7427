import { useSignal } from '@preact/signals';
import { words } from '../i18n';
import type { Collection } from '../live/collection';
import { jobHref } from '../route';
import { Menu } from '../ui/menu';
import { PhaseIcon } from '../ui/phase';
import { JobActions } from './actions';
import { type Job, kindIdOf, phaseOf } from './job';
import { cellOf, shownColumns } from './job_columns';
import { ReplicaTypes } from './replica_types';

/** Reads its own job only, so that the change of one job redraws one row. */
export function JobRow({ id, jobs }: { id: string; jobs: Collection<Job> }) {
  const t = words.value;
  const unfolded = useSignal(false);
  const job = jobs.get(id);
  if (!job) return null;
  const { name, namespace = '' } = job.metadata;
  const columns = shownColumns();
  return (
    <>
      <tr>
        <td class="narrow">
          <button
            type="button"
            class="plain"
            aria-label={t.unfold(name)}
            aria-expanded={unfolded.value}
            onClick={() => {
              unfolded.value = !unfolded.value;
            }}
          >
            {unfolded.value ? '▾' : '▸'}
          </button>
        </td>
        <td class="narrow">
          <PhaseIcon phase={phaseOf(job)} />
        </td>
        <th scope="row">
          <a href={jobHref(namespace, kindIdOf(job), name)}>{name}</a>
        </th>
        {columns.map((column) => (
          <td key={column} class={column === 'labels' ? '' : 'keep'}>
            {cellOf(column, job)}
          </td>
        ))}
        <td class="narrow">
          <Menu face="⋮" label={t.actionsOf(name)} class="plain">
            {() => <JobActions job={job} />}
          </Menu>
        </td>
      </tr>
      {unfolded.value && (
        <tr class="unfolded">
          <td colSpan={columns.length + 4}>
            <ReplicaTypes job={job} />
          </td>
        </tr>
      )}
    </>
  );
}
