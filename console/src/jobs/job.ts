// What the console reads of a PyTorchTrainingJob, and the few rules of how it is told. No screen in here.
import type { KubeObject, Resource } from '../live/protocol';

export const jobResource: Resource = {
  group: 'batch.tensorstack.dev',
  version: 'v1beta1',
  plural: 'pytorchtrainingjobs',
  namespace: '',
};

export interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

export interface Replica {
  name: string;
  uid?: string;
  /** The pod's phase, or Creating or Deleted. */
  phase?: string;
  restarts?: number;
  containers?: { name: string; state?: string; exitCode?: number }[];
}

export interface Job extends KubeObject {
  spec?: { replicaSpecs?: { type: string; replicas?: number }[] };
  status?: {
    phase?: string;
    conditions?: Condition[];
    tasks?: { type: string; replicas?: Replica[] }[];
  };
}

/** A job that no controller has looked at yet waits like any other. */
export function phaseOf(job: Job): string {
  return job.status?.phase || 'Pending';
}

/** The API keeps the word Failed; users of this console know it as Error. */
export function phaseWord(phase: string): string {
  return phase === 'Failed' ? 'Error' : phase;
}

export interface ReplicaCount {
  type: string;
  running: number;
  total: number;
}

/** One entry a replica type. Before the first status the specification says what will come. */
export function replicaCounts(job: Job): ReplicaCount[] {
  const tasks = job.status?.tasks ?? [];
  if (tasks.length > 0) {
    return tasks.map(({ type, replicas = [] }) => ({
      type,
      running: replicas.filter((replica) => replica.phase === 'Running').length,
      total: replicas.length,
    }));
  }
  return (job.spec?.replicaSpecs ?? []).map(({ type, replicas = 1 }) => ({
    type,
    running: 0,
    total: replicas,
  }));
}

export function replicasOf(job: Job): Replica[] {
  return (job.status?.tasks ?? []).flatMap((task) => task.replicas ?? []);
}

/** Of several containers the failed one tells; undefined while none has ended. */
export function exitCodeOf(replica: Replica): number | undefined {
  const codes = (replica.containers ?? []).flatMap(({ exitCode }) => exitCode ?? []);
  return codes.find((code) => code !== 0) ?? codes[0];
}

export function newestConditionFirst(conditions: readonly Condition[]): Condition[] {
  const time = (condition: Condition) => Date.parse(condition.lastTransitionTime ?? '') || 0;
  return [...conditions].sort((a, b) => time(b) - time(a));
}
