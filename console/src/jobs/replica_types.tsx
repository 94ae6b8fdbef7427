import { words } from '../i18n';
import { CopyButton } from '../ui/copy';
import { PhaseIcon } from '../ui/phase';
import { Scroll } from '../ui/scroll';
import { hasEnded, type Job, phaseCounts, replicaCounts, replicaTypes } from './job';

/** How many replicas of the type are in which phase; where no status tells, how many run. */
function States({ job, type }: { job: Job; type: string }) {
  const counts = phaseCounts(job, type);
  if (counts.length > 0) {
    return (
      <span class="states">
        {counts.map(({ phase, count }) => (
          <span key={phase}>
            {count} <PhaseIcon phase={phase} />
          </span>
        ))}
      </span>
    );
  }
  const found = replicaCounts(job).find((each) => each.type === type);
  if (hasEnded(job)) return <>-</>;
  return <>{found ? words.value.running(found.running, found.total) : '-'}</>;
}

/** One line a replica type: how many, how they are, from which image. */
export function ReplicaTypes({ job }: { job: Job }) {
  const t = words.value;
  const totals = new Map(replicaCounts(job).map(({ type, total }) => [type, total]));
  return (
    <Scroll label={t.replicas}>
      <table class="inner">
        <thead>
          <tr>
            <th scope="col">{t.replicaType}</th>
            <th scope="col">{t.count}</th>
            <th scope="col">{t.status}</th>
            <th scope="col">{t.image}</th>
            <th scope="col">{t.restartPolicy}</th>
          </tr>
        </thead>
        <tbody>
          {replicaTypes(job).map(({ type, replicas, restartPolicy, pod }) => {
            const image = pod.containers?.[0]?.image;
            return (
              <tr key={type}>
                <th scope="row">{type}</th>
                <td>{totals.get(type) ?? replicas}</td>
                <td>
                  <States job={job} type={type} />
                </td>
                <td class="image">
                  {image ?? '-'} {image && <CopyButton text={image} small />}
                </td>
                <td>{restartPolicy}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Scroll>
  );
}
