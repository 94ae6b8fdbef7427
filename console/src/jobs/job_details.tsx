import { MetricsPanel } from '../curves';
import { words } from '../i18n';
import { jobKinds, kindId, resourceOf } from '../kinds';
import { newestFirst } from '../live/collection';
import { useLive, useLiveOne } from '../live/pool';
import { allLoaded } from '../live/snapshot';
import { MonitorPanel } from '../monitor';
import { ConditionTable } from '../objects/conditions';
import { goTo, type JobTab, jobHref, jobsHref, type Route } from '../route';
import { later } from '../ui/later';
import { NotLoaded } from '../ui/not_loaded';
import { Refusal } from '../ui/refusal';
import { Tabs } from '../ui/tabs';
import { Cause } from './cause';
import { hasEnded, type Job, kindOf } from './job';
import { ActionBar } from './job_actions';
import { JobEvents } from './job_events';
import { JobFacts } from './job_facts';
import { GoneLogs, JobLogs } from './job_logs';
import { ReplicaList } from './replica_list';
import { ReplicaTypes } from './replica_types';
import { TerminalMenu } from './terminal_menu';
import { jobWords } from './words';

const GoneUsage = later(async () => (await import('./gone_usage')).GoneUsage);

function Facts({ job }: { job: Job }) {
  const t = words.value;
  return (
    <>
      <JobFacts job={job} />
      <section aria-labelledby="types-title">
        <h2 id="types-title">{t.overview}</h2>
        <ReplicaTypes job={job} />
      </section>
      <section aria-labelledby="conditions-title">
        <h2 id="conditions-title">{t.conditions}</h2>
        <ConditionTable conditions={job.status?.conditions} />
      </section>
      <JobEvents job={job} />
    </>
  );
}

function Monitoring({ job: { metadata, status } }: { job: Job }) {
  return (
    <MonitorPanel
      source={{ namespace: metadata.namespace ?? '', owner: metadata.uid }}
      start={status?.startTime}
      finish={status?.completionTime}
      several
    />
  );
}

/** Of a job that is gone, logs and charts may still be there. */
function Missing({ at, gone }: { at: JobRoute; gone: boolean }) {
  const t = words.value;
  return (
    <section class="card details">
      {gone ? <p>{t.jobGone(at.name, at.namespace)}</p> : <NotLoaded />}
      <p>
        <a href={jobsHref}>{t.back}</a>
      </p>
      {gone && <GoneLogs namespace={at.namespace} name={at.name} />}
      {gone && <GoneUsage namespace={at.namespace} name={at.name} />}
    </section>
  );
}

type JobRoute = Extract<Route, { page: 'job' }>;

/** The caller gives it the job's identity as `key`, so that nothing leaks into another job. */
export function JobDetails({ at }: { at: JobRoute }) {
  if (at.kind === '') return <SomeKind at={at} />;
  const kind = jobKinds.find((each) => kindId(each) === at.kind);
  if (!kind) return <Missing at={at} gone />;
  return <KnownKind at={at} kind={kind} />;
}

/** Looks through all kinds for the name; the newest of several is meant. */
function SomeKind({ at }: { at: JobRoute }) {
  const lives = useLive<Job>(jobKinds.map((kind) => resourceOf(kind, at.namespace)));
  const [job] = lives
    .flatMap(({ collection }) => collection.get(`${at.namespace}/${at.name}`) ?? [])
    .sort(newestFirst);
  const kind = job && kindOf(job);
  if (kind) return <KnownKind at={{ ...at, kind: kindId(kind) }} kind={kind} />;
  return <Missing at={at} gone={allLoaded(lives)} />;
}

function KnownKind({ at, kind }: { at: JobRoute; kind: (typeof jobKinds)[number] }) {
  const t = words.value;
  const { collection } = useLiveOne<Job>(resourceOf(kind, at.namespace));
  const id = `${at.namespace}/${at.name}`;
  const job = collection.get(id);
  if (!job) return <Missing at={at} gone={collection.loaded.value} />;
  const tab = (name: JobTab, text: string) => ({
    href: jobHref(at.namespace, at.kind, at.name, name),
    text,
    current: at.tab === name,
  });
  return (
    <section class="card details" aria-labelledby="job-title">
      <header>
        <h1 id="job-title">{at.name}</h1>
        <ActionBar
          job={job}
          gone={() => {
            goTo(jobsHref);
          }}
        >
          {!hasEnded(job) && <TerminalMenu job={job} />}
        </ActionBar>
      </header>
      <Refusal />
      <Cause job={job} whole={at.tab === 'facts'} />
      <Tabs
        label={at.name}
        tabs={[
          tab('facts', kind.kind),
          tab('replicas', t.replicas),
          tab('metrics', t.metrics),
          tab('logs', jobWords.value.logs),
          tab('monitoring', t.monitoring),
        ]}
      />
      {at.tab === 'facts' && <Facts job={job} />}
      {at.tab === 'replicas' && <ReplicaList job={job} />}
      {at.tab === 'metrics' && <MetricsPanel job={job} />}
      {at.tab === 'logs' && <JobLogs job={job} />}
      {at.tab === 'monitoring' && <Monitoring job={job} />}
    </section>
  );
}
