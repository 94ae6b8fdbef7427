import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { ask } from '../api';
import { listKinds, resourceOf } from '../kinds';
import { useLive } from '../live/pool';
import { useSnapshot } from '../live/snapshot';
import { lineText, parseLine } from '../log/line_place';
import type { TaggedPod } from '../log/sources';
import { jobHref, query } from '../route';
import { later } from '../ui/later';
import { type Job, kindIdOf } from './job';
import { type KeptPod, keptLogPods, keptPath, logPods } from './log_pods';
import { type Pod, replicaRows } from './replica';
import { jobWords } from './words';

const LogExplorer = later(async () => (await import('../log/log_explorer')).LogExplorer);

/** Pods that are gone and whose logs are kept; asked for again when `round` changes. */
function useKept(namespace: string, round: unknown): readonly KeptPod[] {
  const kept = useMemo(() => signal<readonly KeptPod[]>([]), []);
  useEffect(() => {
    ask<{ items: KeptPod[] }>('GET', keptPath(namespace)).then(
      ({ items }) => {
        kept.value = items;
      },
      // Then the logs of those that are known by name are shown all the same.
      () => {},
    );
  }, [namespace, round]);
  return kept.value;
}

/** Whose logs are a job's, also of pods that were cleaned up. */
export function useLogPods(job: Job): TaggedPod[] {
  const { namespace = '' } = job.metadata;
  const rows = replicaRows(job, useSnapshot(useLive<Pod>([resourceOf(listKinds.pods, namespace)])));
  return logPods(job, rows, useKept(namespace, rows.length));
}

/** The logs of all replicas of a job, together or one by one, also of those that were cleaned up. */
export function JobLogs({ job }: { job: Job }) {
  const { name, namespace = '' } = job.metadata;
  const pods = useLogPods(job);
  const asked = new URLSearchParams(query.value);
  const here = jobHref(namespace, kindIdOf(job), name, 'logs');
  return (
    <LogExplorer
      namespace={namespace}
      pods={pods}
      name={name}
      first={asked.get('replica') ?? ''}
      wanted={parseLine(asked.get('line') ?? '')}
      href={(place, replica) => {
        const query = new URLSearchParams({ ...(replica && { replica }), line: lineText(place) });
        return `${here}?${query}`;
      }}
    />
  );
}

/** What is left of a job that is gone. */
export function GoneLogs({ namespace, name }: { namespace: string; name: string }) {
  const pods = keptLogPods(name, useKept(namespace, name));
  if (pods.length === 0) return null;
  return (
    <>
      <p>{jobWords.value.goneLogs}</p>
      <LogExplorer namespace={namespace} pods={pods} name={name} />
    </>
  );
}
