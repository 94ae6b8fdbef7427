import { useSignal } from '@preact/signals';
import { words } from '../i18n';
import { listKinds, resourceOf } from '../kinds';
import { useLive } from '../live/pool';
import { useSnapshot } from '../live/snapshot';
import { jobHref } from '../route';
import { later } from '../ui/later';
import { LongText } from '../ui/long_text';
import {
  causeOf,
  isDebug,
  type Job,
  kindIdOf,
  leadOf,
  memoryOf,
  phaseOf,
  shortCause,
  stallOf,
} from './job';
import { type Pod, replicaRows } from './replica';
import { jobWords } from './words';

const LogTail = later(async () => (await import('../log/log_tail')).LogTail);

/** What the failing replica said when it failed, beneath the sentence that names it. */
function LastWords({ job }: { job: Job }) {
  const t = jobWords.value;
  const { name, namespace = '' } = job.metadata;
  const pods = useSnapshot(useLive<Pod>([resourceOf(listKinds.pods, namespace)]));
  const rows = replicaRows(job, pods);
  const first = leadOf(job) ?? memoryOf(job).failures?.[0];
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
        title={t.whereItFailed(row.tag)}
        told={first?.lastLine ?? row.lastLine}
      />
      <a href={href}>{t.wholeLog}</a>
    </div>
  );
}

/** Of a job that waits: what to change, without the scheduler's count of nodes in front of it. */
function adviceIn(cause: string): string | undefined {
  return /^0\/\d+ nodes are available\b.*?\. (?=\S)(.*)$/s.exec(cause)?.[1];
}

/** The cause in few words; when, where and what came of it for who asks. */
function Sentence({ job, cause }: { job: Job; cause: string }) {
  const whole = useSignal(false);
  const few = phaseOf(job) === 'Failed' ? shortCause(job) : adviceIn(cause);
  if (few === undefined) return <LongText text={cause} />;
  return (
    <>
      <LongText text={few} />{' '}
      <button
        type="button"
        class="plain"
        aria-expanded={whole.value}
        onClick={() => {
          whole.value = !whole.peek();
        }}
      >
        {phaseOf(job) === 'Failed' ? jobWords.value.whenAndWhere : jobWords.value.inFull}
      </button>
      {whole.value && <span class="when-and-where">{cause}</span>}
    </>
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
        <Sentence job={job} cause={cause} />
      </p>
      {failed && whole && <LastWords job={job} />}
    </div>
  );
}
