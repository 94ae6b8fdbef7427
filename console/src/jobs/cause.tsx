import { words } from '../i18n';
import { listKinds, resourceOf } from '../kinds';
import { useLive } from '../live/pool';
import { useSnapshot } from '../live/snapshot';
import { jobHref } from '../route';
import { later } from '../ui/later';
import { LongText } from '../ui/long_text';
import { causeOf, isDebug, type Job, kindIdOf, memoryOf, phaseOf, stallOf } from './job';
import { type Pod, replicaRows } from './replica';
import { jobWords } from './words';

const LogTail = later(async () => (await import('../log/log_tail')).LogTail);

/** What the failing replica said last, beneath the sentence that names it. */
function LastWords({ job }: { job: Job }) {
  const t = jobWords.value;
  const { name, namespace = '' } = job.metadata;
  const pods = useSnapshot(useLive<Pod>([resourceOf(listKinds.pods, namespace)]));
  const rows = replicaRows(job, pods);
  const [first] = memoryOf(job).failures ?? [];
  const row = rows.find(({ name }) => name === first?.name) ?? rows.find(({ failed }) => failed);
  if (!row) return null;
  // The pod that failed first may have been replaced under its name.
  const uid = first?.uid ?? row.uid;
  const href = `${jobHref(namespace, kindIdOf(job), name, 'logs')}?replica=${encodeURIComponent(row.tag)}`;
  return (
    <div class="last-words">
      <LogTail
        key={uid}
        namespace={namespace}
        pod={row.name}
        uid={uid}
        container={first?.container ?? row.failedContainer ?? row.containers[0] ?? ''}
        title={t.lastLines(row.tag)}
      />
      <a href={href}>{t.wholeLog}</a>
    </div>
  );
}

/** The one sentence that the user came for, when something is wrong or waits; `whole`: with what was said last. */
export function Cause({ job, whole }: { job: Job; whole: boolean }) {
  const t = words.value;
  const cause = causeOf(job);
  const failed = phaseOf(job) === 'Failed';
  if (!cause) return isDebug(job) ? <p class="cause">{jobWords.value.debugMode}</p> : null;
  return (
    <div class={failed ? 'cause failed' : 'cause'}>
      <p>
        <strong>
          {failed ? t.failedBecause : stallOf(job) ? jobWords.value.stalledBecause : t.waitsBecause}
          :{' '}
        </strong>
        <LongText text={cause} />
      </p>
      {failed && whole && <LastWords job={job} />}
    </div>
  );
}
