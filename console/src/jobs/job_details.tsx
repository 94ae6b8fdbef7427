import { words } from '../i18n';
import { jobKinds, kindId, resourceOf } from '../kinds';
import { newestFirst } from '../live/collection';
import { useLive, useLiveOne } from '../live/pool';
import { allLoaded } from '../live/snapshot';
import { ConditionTable } from '../objects/conditions';
import { type JobTab, jobHref, jobsHref, type Route } from '../route';
import { Tabs } from '../ui/tabs';
import { showYaml } from '../ui/yaml_dialog';
import { confirmDeletion, hold, Refusal } from './actions';
import { causeOf, hasEnded, isHeld, type Job, kindOf, phaseOf } from './job';
import { JobEvents } from './job_events';
import { JobFacts } from './job_facts';
import { ReplicaList } from './replica_list';
import { ReplicaTypes } from './replica_types';

/** The one sentence that the user came for, when something is wrong or waits. */
function Cause({ job }: { job: Job }) {
  const t = words.value;
  const cause = causeOf(job);
  if (!cause) return null;
  const failed = phaseOf(job) === 'Failed';
  return (
    <p class={failed ? 'cause failed' : 'cause'}>
      <strong>{failed ? t.failedBecause : t.waitsBecause}: </strong>
      {cause}
    </p>
  );
}

function ActionBar({ job }: { job: Job }) {
  const t = words.value;
  const held = isHeld(job);
  return (
    <div class="bar">
      <button type="button" onClick={() => showYaml(job)}>
        {t.yaml}
      </button>
      {!hasEnded(job) && (
        <button type="button" onClick={() => hold(job, !held)}>
          {held ? t.resume : t.pause}
        </button>
      )}
      <button
        type="button"
        class="red"
        onClick={() =>
          confirmDeletion(job, () => {
            location.hash = jobsHref;
          })
        }
      >
        {t.delete}
      </button>
    </div>
  );
}

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

function Missing({ text }: { text: string }) {
  return (
    <section class="card">
      <p>{text}</p>
      <a href={jobsHref}>{words.value.back}</a>
    </section>
  );
}

type JobRoute = Extract<Route, { page: 'job' }>;

/** The caller gives it the job's identity as `key`, so that nothing leaks into another job. */
export function JobDetails({ at }: { at: JobRoute }) {
  const t = words.value;
  if (at.kind === '') return <SomeKind at={at} />;
  const kind = jobKinds.find((each) => kindId(each) === at.kind);
  if (!kind) return <Missing text={t.jobGone(at.name, at.namespace)} />;
  return <KnownKind at={at} kind={kind} />;
}

/** Looks through all kinds for the name; the newest of several is meant. */
function SomeKind({ at }: { at: JobRoute }) {
  const t = words.value;
  const lives = useLive<Job>(jobKinds.map((kind) => resourceOf(kind, at.namespace)));
  const [job] = lives
    .flatMap(({ collection }) => collection.get(`${at.namespace}/${at.name}`) ?? [])
    .sort(newestFirst);
  const kind = job && kindOf(job);
  if (kind) return <KnownKind at={{ ...at, kind: kindId(kind) }} kind={kind} />;
  return <Missing text={allLoaded(lives) ? t.jobGone(at.name, at.namespace) : t.loading} />;
}

function KnownKind({ at, kind }: { at: JobRoute; kind: (typeof jobKinds)[number] }) {
  const t = words.value;
  const { collection } = useLiveOne<Job>(resourceOf(kind, at.namespace));
  const id = `${at.namespace}/${at.name}`;
  const job = collection.get(id);
  if (!job) {
    return (
      <Missing text={collection.loaded.value ? t.jobGone(at.name, at.namespace) : t.loading} />
    );
  }
  const tab = (name: JobTab, text: string) => ({
    href: jobHref(at.namespace, at.kind, at.name, name),
    text,
    current: at.tab === name,
  });
  return (
    <section class="card details" aria-labelledby="job-title">
      <header>
        <h1 id="job-title">{at.name}</h1>
        <ActionBar job={job} />
      </header>
      <Refusal />
      <Cause job={job} />
      <Tabs label={at.name} tabs={[tab('facts', kind.kind), tab('replicas', t.replicas)]} />
      {at.tab === 'facts' ? (
        <Facts job={job} />
      ) : (
        <ReplicaList job={job} id={id} jobs={collection} />
      )}
    </section>
  );
}
