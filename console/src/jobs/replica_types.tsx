import { words } from '../i18n';
import { CopyButton } from '../ui/copy';
import { type Job, replicaCounts, replicaTypes } from './job';

/** One line a replica type: how many, how many of them run, from which image. */
export function ReplicaTypes({ job }: { job: Job }) {
  const t = words.value;
  const running = new Map(replicaCounts(job).map(({ type, running }) => [type, running]));
  return (
    <div class="scroll">
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
                <td>{replicas}</td>
                <td>{t.running(running.get(type) ?? 0, replicas)}</td>
                <td class="image">
                  {image ?? '-'} {image && <CopyButton text={image} small />}
                </td>
                <td>{restartPolicy}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
