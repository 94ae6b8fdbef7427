import type { TensorBoard as Board } from '../apps/app';
import { AppState } from '../apps/app_link';
import { words } from '../i18n';
import { listKinds, resourceOf } from '../kinds';
import { useLiveOne } from '../live/pool';
import { ClaimLinks } from '../objects/claim_links';
import { bytes, cores, noAmount, requestAndLimit } from '../quantity';
import { Duration, ExactTime } from '../time';
import { Fact } from '../ui/facts';
import { Labels } from '../ui/labels';
import { NotLoaded } from '../ui/not_loaded';
import { Phase } from '../ui/phase';
import type { Words } from '../words/en';
import {
  amountsOf,
  claimsOf,
  extendedOf,
  hasEnded,
  type Job,
  phaseCounts,
  phaseOf,
  phaseWord,
  queueOf,
  replicaCounts,
  runSpan,
  schedulerOf,
} from './job';
import { JobProgress } from './job_progress';
import { jobWords } from './words';

/** `worker: 4`, and how many of them run; under torchrun also how many processes each starts. */
function replicaText(job: Job, type: string, total: number, t: Words): string {
  const { torchrunConfig } = job.spec ?? {};
  if (!torchrunConfig?.enabled && !torchrunConfig?.enable) return `${type}: ${total}`;
  return t.processes(type, total, torchrunConfig.procPerNode ?? '1');
}

/** What became of them: of a job that is over, how many run tells nothing. */
function endText(job: Job, type: string): string {
  return phaseCounts(job, type)
    .map(({ phase, count }) => `${count} ${phaseWord(phase)}`)
    .join(', ');
}

function Replicas({ job }: { job: Job }) {
  const t = words.value;
  return (
    <>
      {replicaCounts(job).map(({ type, running, total }) => (
        <div key={type}>
          {replicaText(job, type, total, t)}{' '}
          <small>{hasEnded(job) ? endText(job, type) : t.running(running, total)}</small>
        </div>
      ))}
    </>
  );
}

function TensorBoard({ namespace, name }: { namespace: string; name: string }) {
  const { collection } = useLiveOne<Board>(resourceOf(listKinds.tensorboards, namespace));
  const board = collection.get(`${namespace}/${name}`);
  if (board) return <AppState page="tensorboards" app={board} />;
  return collection.loaded.value ? <>-</> : <NotLoaded />;
}

export function JobFacts({ job }: { job: Job }) {
  const t = words.value;
  const own = jobWords.value;
  const { name, namespace = '', uid, labels, creationTimestamp } = job.metadata;
  const { startTime, completionTime, tensorboard } = job.status ?? {};
  const amounts = amountsOf(job);
  const claims = claimsOf(job);
  const board = tensorboard?.dependent?.name;
  return (
    <dl class="facts">
      <Fact name={t.name}>{name}</Fact>
      <Fact name={t.project}>{namespace}</Fact>
      <Fact name={t.uid}>{uid ?? '-'}</Fact>
      <Fact name={t.cpuOf}>{requestAndLimit(amounts.get('cpu') ?? noAmount, cores)}</Fact>
      <Fact name={t.status}>
        <Phase phase={phaseOf(job)} />
      </Fact>
      <Fact name={t.memoryOf}>{requestAndLimit(amounts.get('memory') ?? noAmount, bytes)}</Fact>
      <Fact name={t.replicas}>
        <Replicas job={job} />
      </Fact>
      <Fact name={t.created}>
        <ExactTime at={creationTimestamp} />
      </Fact>
      {startTime && (
        <Fact name={own.started}>
          <ExactTime at={startTime} />
        </Fact>
      )}
      {completionTime && (
        <Fact name={own.finished}>
          <ExactTime at={completionTime} />
        </Fact>
      )}
      <Fact name={t.filters.scheduler}>
        {t.schedulers[schedulerOf(job)]} · {t.queue} {queueOf(job)}
      </Fact>
      <Fact name={t.duration}>
        <Duration {...runSpan(job)} />
      </Fact>
      {!hasEnded(job) && (
        <Fact name={own.progress}>
          <JobProgress job={job} scope={namespace} />
        </Fact>
      )}
      {claims.length > 0 && (
        <Fact name={t.volumes}>
          <ClaimLinks namespace={namespace} names={claims} />
        </Fact>
      )}
      {extendedOf(job).map((resource) => (
        <Fact key={resource} name={resource}>
          {amounts.get(resource)?.limit ?? '-'}
        </Fact>
      ))}
      {board && (
        <Fact name={t.tensorboard}>
          <TensorBoard namespace={tensorboard?.dependent?.namespace ?? namespace} name={board} />
        </Fact>
      )}
      <Fact name={t.labels}>
        <Labels labels={labels} />
      </Fact>
    </dl>
  );
}
