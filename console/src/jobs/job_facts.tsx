import type { ComponentChildren } from 'preact';
import { words } from '../i18n';
import { listKinds, resourceOf } from '../kinds';
import { useLiveOne } from '../live/pool';
import { AppLink } from '../objects/app_link';
import { type AnyObject, statusOf } from '../objects/object';
import { bytes, cores, noAmount, requestAndLimit } from '../quantity';
import { listHref } from '../route';
import { Duration, ExactTime } from '../time';
import { Labels } from '../ui/labels';
import { Phase } from '../ui/phase';
import type { Words } from '../words/en';
import {
  amountsOf,
  claimsOf,
  extendedOf,
  type Job,
  phaseOf,
  queueOf,
  replicaCounts,
  schedulerOf,
} from './job';

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** `worker: 4`, and how many of them run; under torchrun also how many processes each starts. */
function replicaText(job: Job, type: string, total: number, t: Words): string {
  const { torchrunConfig } = job.spec ?? {};
  if (!torchrunConfig?.enabled && !torchrunConfig?.enable) return `${type}: ${total}`;
  return t.processes(type, total, torchrunConfig.procPerNode ?? '1');
}

function Replicas({ job }: { job: Job }) {
  const t = words.value;
  return (
    <>
      {replicaCounts(job).map(({ type, running, total }) => (
        <div key={type}>
          {replicaText(job, type, total, t)} <small>{t.running(running, total)}</small>
        </div>
      ))}
    </>
  );
}

/** The state of the job's TensorBoard, which leads to its page once that can be opened. */
function TensorBoard({ namespace, name }: { namespace: string; name: string }) {
  const { collection } = useLiveOne<AnyObject>(resourceOf(listKinds.tensorboards, namespace));
  const board = collection.get(`${namespace}/${name}`);
  if (!board) return <>-</>;
  return (
    <AppLink app={board}>
      <Phase phase={statusOf('tensorboards', board) ?? 'Unknown'} />
    </AppLink>
  );
}

function Claims({ names }: { names: string[] }) {
  return (
    <>
      {names.map((name) => (
        <div key={name}>
          <a href={listHref('volumes')}>{name}</a>
        </div>
      ))}
    </>
  );
}

export function JobFacts({ job }: { job: Job }) {
  const t = words.value;
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
      <Fact name={t.filters.scheduler}>
        {t.schedulers[schedulerOf(job)]} · {t.queue} {queueOf(job)}
      </Fact>
      <Fact name={t.duration}>
        <Duration from={startTime ?? undefined} to={completionTime ?? undefined} />
      </Fact>
      {claims.length > 0 && (
        <Fact name={t.volumes}>
          <Claims names={claims} />
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
