// Whose logs belong to a job: of its replicas, and of pods that are gone and no status names. No screen in here.
import { collectionPath, listKinds } from '../kinds';
import type { TaggedPod } from '../log/sources';
import { restartsOf } from '../pods/pod';
import { type Job, replicaTypes } from './job';
import { labelled, type ReplicaRow } from './replica';

/** What the server says of a pod that is gone and whose log it keeps. */
export interface KeptPod {
  metadata: { name: string; uid: string; labels?: Record<string, string> };
  /** When it went. */
  kept: string;
}

/** Where the server lists them. */
export function keptPath(namespace: string): string {
  return `${collectionPath(listKinds.pods, namespace)}?kept=true`;
}

function belongs({ metadata }: KeptPod, job: string): boolean {
  const labels = metadata.labels ?? {};
  return (
    labels['tensorstack.dev/owner-name'] === job || labels['training.kubeflow.org/job-name'] === job
  );
}

function tagOf({ metadata }: KeptPod): string {
  const type = labelled(metadata, 'replica-type');
  return type ? `${type}-${labelled(metadata, 'replica-index')}` : metadata.name;
}

function asPod(kept: KeptPod, containers: readonly string[]): TaggedPod {
  const { name, uid } = kept.metadata;
  return { name, uid, phase: 'Deleted', containers, tag: tagOf(kept) };
}

/** What the containers of a replica type will be called, before there is a pod and after it is gone. */
function containersOf(job: Job, type: string): string[] {
  const found = replicaTypes(job).find((each) => each.type.toLowerCase() === type.toLowerCase());
  return (found?.pod.containers ?? []).map(({ name }) => name);
}

/** The replicas of a job, and of those that neither its status nor a pod tells of the last pod that was kept. */
export function logPods(
  job: Job,
  rows: readonly ReplicaRow[],
  kept: readonly KeptPod[],
): TaggedPod[] {
  const replaced = (row: ReplicaRow) =>
    kept.some(({ metadata }) => metadata.name === row.name && metadata.uid !== row.uid);
  const pods: TaggedPod[] = rows.map((row) => {
    const { name, uid, phase, tag, type, containers, initContainers, restarts, pod } = row;
    return {
      name,
      uid,
      phase,
      tag,
      containers:
        containers.length > 0 ? [...containers, ...initContainers] : containersOf(job, type),
      ranBefore: restarts > 0 || (pod !== undefined && restartsOf(pod) > 0) || replaced(row),
    };
  });
  const known = new Set(pods.map(({ tag }) => tag));
  const since = job.metadata.creationTimestamp ?? '';
  // The newest of a name last; one that went before this job was made belonged to an earlier one of its name.
  const own = kept.filter((each) => belongs(each, job.metadata.name) && each.kept >= since);
  for (const each of [...own].reverse()) {
    if (known.has(tagOf(each))) continue;
    known.add(tagOf(each));
    pods.push(asPod(each, containersOf(job, labelled(each.metadata, 'replica-type'))));
  }
  return pods;
}

/** Of a job that is gone itself: the last pod of each replica. */
export function keptLogPods(job: string, kept: readonly KeptPod[]): TaggedPod[] {
  const last = new Map<string, TaggedPod>();
  for (const each of kept) if (belongs(each, job)) last.set(tagOf(each), asPod(each, []));
  return [...last.values()].sort((a, b) => a.tag.localeCompare(b.tag, 'en', { numeric: true }));
}
