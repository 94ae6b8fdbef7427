import { type Signal, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ask } from '../api';
import { words } from '../i18n';
import { RowNote } from '../list/row';
import { lasting } from '../time';
import { type Job, phaseOf, stallOf } from './job';
import {
  type Progress,
  type ProgressList,
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
  readers: number;
  timer?: ReturnType<typeof setInterval>;
}

const followed = new Map<string, Followed>();

async function look(namespace: string, jobs: Followed['jobs']): Promise<void> {
  if (document.visibilityState !== 'visible') return;
  try {
    jobs.value = progressByJob(await ask<ProgressList>('GET', progressPath(namespace)));
  } catch {
    // Whoever may not read logs is told nothing; a server that is away is told of elsewhere.
  }
}

/** How far the jobs of a namespace, or of all, have come; asked for while somebody looks. */
function useProgress(namespace: string): Map<string, Progress> {
  const one: Followed = followed.get(namespace) ?? { jobs: signal(new Map()), readers: 0 };
  followed.set(namespace, one);
  useEffect(() => {
    one.readers++;
    if (one.readers === 1) {
      void look(namespace, one.jobs);
      one.timer = setInterval(() => void look(namespace, one.jobs), pace);
    }
    return () => {
      one.readers--;
      if (one.readers === 0) clearInterval(one.timer);
    };
  }, [namespace]);
  return one.jobs.value;
}

interface Props {
  job: Job;
  /** The namespace that is looked at; empty: all. */
  scope: string;
}

function useWords({ job, scope }: Props): { progress: Progress; first: string } | undefined {
  const t = jobWords.value;
  const progress = useProgress(scope).get(job.metadata.uid ?? '');
  if (!progress || phaseOf(job) !== 'Running') return undefined;
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
  const text = joined([told.first, positionText(told.progress)]);
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
