// The replicas of a job: what its status says of them, joined with the pods that are there. No screen in here.
import type { AnyObject, ContainerStatus } from '../objects/object';
import { type Amounts, addContainers } from '../quantity';
import {
  type Condition,
  exitCodeOf,
  type Job,
  type PodSpec,
  type Replica,
  replicaTypes,
} from './job';

export interface Pod extends Omit<AnyObject, 'spec' | 'status'> {
  spec?: PodSpec & { nodeName?: string };
  status?: {
    phase?: string;
    message?: string;
    conditions?: Condition[];
    containerStatuses?: ContainerStatus[];
  };
}

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
  containers: string[];
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

function rowOf(type: string, replica: Replica, pod: Pod | undefined): ReplicaRow {
  const state = telling(pod);
  const waits = unscheduled(pod);
  const names = (pod?.spec?.containers ?? replica.containers ?? []).map(({ name }) => name);
  return {
    name: replica.name,
    uid: pod?.metadata.uid ?? replica.uid ?? '',
    type,
    phase: replica.phase || 'Pending',
    restarts: replica.restarts ?? 0,
    exitCode: exitCodeOf(replica) ?? state?.terminated?.exitCode,
    reason: state?.terminated?.reason ?? state?.waiting?.reason ?? waits?.reason,
    lastLine: lastLineOf(state?.terminated?.message ?? state?.waiting?.message ?? waits?.message),
    containers: names,
    pod,
  };
}

/** Kubeflow's kinds say which pod is which by labels only. */
function labelled(pod: Pod, name: string): string {
  const labels = pod.metadata.labels ?? {};
  return labels[`training.kubeflow.org/${name}`] ?? labels[name] ?? '';
}

function fromPods(job: Job, pods: readonly Pod[]): ReplicaRow[] {
  const order = replicaTypes(job).map(({ type }) => type.toLowerCase());
  const place = (pod: Pod) => order.indexOf(labelled(pod, 'replica-type').toLowerCase());
  const index = (pod: Pod) => Number(labelled(pod, 'replica-index')) || 0;
  return [...pods]
    .sort((a, b) => place(a) - place(b) || index(a) - index(b))
    .map((pod) => {
      const restarts = pod.status?.containerStatuses?.[0]?.restartCount ?? 0;
      const replica = { name: pod.metadata.name, phase: pod.status?.phase ?? '', restarts };
      return rowOf(labelled(pod, 'replica-type'), replica, pod);
    });
}

/** In the order of the specification, then by index; the launcher of an MPI job comes first. */
export function replicaRows(job: Job, pods: readonly Pod[]): ReplicaRow[] {
  const own = podsOf(job, pods);
  const tasks = job.status?.tasks ?? [];
  if (tasks.length === 0) return fromPods(job, own);
  const byName = new Map(own.map((pod) => [pod.metadata.name, pod]));
  const launchersFirst = [...tasks].sort(
    (a, b) => Number(b.type === 'launcher') - Number(a.type === 'launcher'),
  );
  return launchersFirst.flatMap(({ type, replicas = [] }) =>
    replicas.map((replica) => rowOf(type, replica, byName.get(replica.name))),
  );
}

export function podAmounts(pod: Pod | undefined): Amounts {
  const sum: Amounts = new Map();
  addContainers(sum, pod?.spec?.containers, 1);
  return sum;
}
