import { type Signal, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ask } from '../api';
import { words } from '../i18n';
import { RowNote } from '../list/row';
import { lasting } from '../time';
import { type Job, phaseOf, stallOf } from './job';
import {
  type Progress,
  positionText,
  progressByJob,
  progressPath,
  rateText,
  valuesText,
} from './progress';
import { jobWords } from './words';

/** One question for all jobs in sight, this often. */
const pace = 10_000;

interface Followed {
  jobs: Signal<Map<string, Progress>>;
  /** Uids of the jobs in sight. */
  seen: Set<string>;
  timer?: ReturnType<typeof setTimeout>;
}

const followed = new Map<string, Followed>();

async function look(namespace: string, one: Followed): Promise<void> {
  one.timer = setTimeout(look, pace, namespace, one);
  if (document.visibilityState !== 'visible') return;
  try {
    one.jobs.value = progressByJob(await ask('GET', progressPath(namespace, one.seen)));
  } catch {
    // Whoever may not read logs is told nothing; a server that is away is told of elsewhere.
  }
}

/** How far a job has come that runs in a namespace, or in any; asked for while somebody looks. */
function useProgress(namespace: string, uid: string, runs: boolean): Progress | undefined {
  const one: Followed = followed.get(namespace) ?? { jobs: signal(new Map()), seen: new Set() };
  followed.set(namespace, one);
  useEffect(() => {
    if (!runs) return;
    one.seen.add(uid);
    // The rows of a page come together.
    clearTimeout(one.timer);
    one.timer = setTimeout(look, 50, namespace, one);
    return () => {
      one.seen.delete(uid);
      if (one.seen.size === 0) clearTimeout(one.timer);
    };
  }, [namespace, uid, runs]);
  return runs ? one.jobs.value.get(uid) : undefined;
}

interface Props {
  job: Job;
  /** The namespace that is looked at; empty: all. */
  scope: string;
}

function useWords({ job, scope }: Props): { progress: Progress; first: string } | undefined {
  const t = jobWords.value;
  const progress = useProgress(scope, job.metadata.uid ?? '', phaseOf(job) === 'Running');
  if (!progress) return undefined;
  const { share, secondsLeft } = progress;
  const first = joined([
    share !== undefined && `${Math.round(share * 100)} %`,
    secondsLeft !== undefined && t.left(lasting(secondsLeft * 1000, words.value)),
  ]);
  return { progress, first };
}

function joined(parts: (string | false)[]): string {
  return parts.filter(Boolean).join(' · ');
}

/** Below a job's name in lists: that it is stalled, or how far it has come, in a line. */
export function JobNote(props: Props) {
  const told = useWords(props);
  const stall = stallOf(props.job);
  if (stall && phaseOf(props.job) === 'Running') {
    return <RowNote text={`${jobWords.value.stalledBecause}: ${stall}`} failed={false} />;
  }
  if (!told) return null;
  const { first, progress } = told;
  const text = joined([
    first,
    positionText(progress),
    !first && rateText(progress),
    valuesText(progress, 1),
  ]);
  return text ? <RowNote text={text} failed={false} /> : null;
}

/** `42 % · 3 min left`, where it is, how fast, and the last values. */
export function JobProgress(props: Props) {
  const told = useWords(props);
  if (!told) return <>-</>;
  const { progress, first } = told;
  const more = joined([positionText(progress), rateText(progress), valuesText(progress, 8)]);
  return (
    <>
      {first && <div>{first}</div>}
      <small>{more}</small>
    </>
  );
}
