// The replicas of a job: what its status says of them, joined with the pods that are there. No screen in here.
import type { ContainerStatus, Pod } from '../pods/pod';
import {
  type Condition,
  exitCodeOf,
  type Failure,
  type Job,
  memoryOf,
  type Replica,
  replicaTypes,
} from './job';

export type { Pod };

export interface ReplicaRow {
  name: string;
  uid: string;
  type: string;
  phase: string;
  restarts: number;
  exitCode: number | undefined;
  /** Why it failed or waits, in one word of the API. */
  reason: string | undefined;
  /** The last thing that a failed replica said. */
  lastLine: string | undefined;
  /** Its place among the replicas, such as worker-0. */
  tag: string;
  containers: string[];
  initContainers: string[];
  failed: boolean;
  /** The one that ended with an error, if one did. */
  failedContainer: string | undefined;
  /** Undefined when the pod is gone; its log may still be there. */
  pod: Pod | undefined;
}

export function podsOf(job: Job, pods: readonly Pod[]): Pod[] {
  return pods.filter(({ metadata }) =>
    (metadata.ownerReferences ?? []).some(({ uid }) => uid === job.metadata.uid),
  );
}

export function lastLineOf(text: string | undefined): string | undefined {
  return (text ?? '').split('\n').findLast((line) => line.trim() !== '');
}

/** The container that failed, else the one that waits. */
function telling(pod: Pod | undefined): ContainerStatus['state'] {
  const states = (pod?.status?.containerStatuses ?? []).map(({ state }) => state);
  return (
    states.find((state) => state?.terminated && state.terminated.exitCode !== 0) ??
    states.find((state) => state?.waiting)
  );
}

function unscheduled(pod: Pod | undefined): Condition | undefined {
  return pod?.status?.conditions?.find(
    ({ type, status }) => type === 'PodScheduled' && status === 'False',
  );
}

function namesOf(containers: readonly { name: string }[] | undefined): string[] {
  return (containers ?? []).map(({ name }) => name);
}

/** How the replica's last pod failed, if it did; it may be gone. */
function failureOf(job: Job, replica: Replica): Failure | undefined {
  return (memoryOf(job).failures ?? []).find(({ name, uid }) =>
    uid && replica.uid ? uid === replica.uid : name === replica.name,
  );
}

/** Kubeflow's pods stay while their node starts a container again. */
function restartsInPlace(pod: Pod | undefined): number {
  const counts = (pod?.status?.containerStatuses ?? []).map(({ restartCount = 0 }) => restartCount);
  return counts.reduce((sum, count) => sum + count, 0);
}

function rowOf(
  job: Job,
  type: string,
  index: number | string,
  replica: Replica,
  pod: Pod | undefined,
): ReplicaRow {
  const state = telling(pod);
  const waits = unscheduled(pod);
  const failed = replica.phase === 'Failed' || replica.endedAs === 'Failed';
  const failure = failed ? failureOf(job, replica) : undefined;
  const said = state?.terminated?.message ?? state?.waiting?.message ?? waits?.message;
  return {
    name: replica.name,
    uid: pod?.metadata.uid ?? replica.uid ?? '',
    type,
    phase: replica.phase || 'Pending',
    failed,
    restarts: (replica.restarts ?? 0) + restartsInPlace(pod),
    exitCode: exitCodeOf(replica) ?? state?.terminated?.exitCode ?? failure?.exitCode,
    reason:
      failure?.reason || (state?.terminated?.reason ?? state?.waiting?.reason ?? waits?.reason),
    lastLine: failure?.lastLine || failure?.message || lastLineOf(said),
    tag: `${type}-${index}`,
    containers: namesOf(pod?.spec?.containers ?? replica.containers),
    failedContainer:
      failure?.container ?? replica.containers?.find(({ exitCode }) => exitCode)?.name,
    initContainers: namesOf(pod?.spec?.initContainers),
    pod,
  };
}

/** Kubeflow's kinds say which pod is which by labels only. */
export function labelled(metadata: { labels?: Record<string, string> }, name: string): string {
  const labels = metadata.labels ?? {};
  return labels[`training.kubeflow.org/${name}`] ?? labels[name] ?? '';
}

function fromPods(job: Job, pods: readonly Pod[]): ReplicaRow[] {
  const order = replicaTypes(job).map(({ type }) => type.toLowerCase());
  const place = (pod: Pod) => order.indexOf(labelled(pod.metadata, 'replica-type').toLowerCase());
  const index = (pod: Pod) => Number(labelled(pod.metadata, 'replica-index')) || 0;
  return [...pods]
    .sort((a, b) => place(a) - place(b) || index(a) - index(b))
    .map((pod) => {
      const replica = { name: pod.metadata.name, phase: pod.status?.phase ?? '' };
      return rowOf(job, labelled(pod.metadata, 'replica-type'), index(pod), replica, pod);
    });
}

/** In the order of the specification, then by index; the launcher of an MPI job comes first. */
export function replicaRows(job: Job, pods: readonly Pod[]): ReplicaRow[] {
  const own = podsOf(job, pods);
  const { tasks = [] } = memoryOf(job);
  if (tasks.length === 0) return fromPods(job, own);
  const byName = new Map(own.map((pod) => [pod.metadata.name, pod]));
  const launchersFirst = [...tasks].sort(
    (a, b) => Number(b.type === 'launcher') - Number(a.type === 'launcher'),
  );
  return launchersFirst.flatMap(({ type, replicas = [] }) =>
    replicas.map((replica, index) => rowOf(job, type, index, replica, byName.get(replica.name))),
  );
}

/** The pod that a row stands for; of one that is gone, what its job remembers of it. */
export function podOfRow({ metadata }: Job, row: ReplicaRow): Pod {
  if (row.pod) return row.pod;
  const { name, uid, phase, containers, initContainers } = row;
  const { namespace = '', uid: owner = '' } = metadata;
  return {
    metadata: { name, namespace, uid, ownerReferences: [{ uid: owner }] },
    spec: {
      containers: containers.map((each) => ({ name: each })),
      initContainers: initContainers.map((each) => ({ name: each })),
    },
    status: { phase },
  };
}
