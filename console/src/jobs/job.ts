// What the console reads of jobs of all kinds, and the few rules of how it is told. No screen in here.
import { jobKinds, type Kind, kindId } from '../kinds';
import type { KubeObject } from '../live/protocol';
import { type Amounts, addContainers, isExtended } from '../quantity';

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

export interface PodSpec {
  containers?: {
    name: string;
    image?: string;
    resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  }[];
  volumes?: { persistentVolumeClaim?: { claimName?: string } }[];
}

interface ReplicaSpec {
  type: string;
  replicas?: number;
  restartPolicy?: string | { policy?: string };
  template?: { spec?: PodSpec };
}

/** Kubeflow's kinds name their replica types by keys. */
type ReplicaSpecsByType = Record<string, Omit<ReplicaSpec, 'type'>>;

export interface Job extends KubeObject {
  spec?: {
    replicaSpecs?: ReplicaSpec[];
    pytorchReplicaSpecs?: ReplicaSpecsByType;
    tfReplicaSpecs?: ReplicaSpecsByType;
    mpiReplicaSpecs?: ReplicaSpecsByType;
    runMode?: { pause?: { enabled?: boolean } };
    scheduler?: { t9kScheduler?: { queue?: string; priority?: number } };
    runPolicy?: { suspend?: boolean; schedulingPolicy?: { queue?: string } };
    torchrunConfig?: { enabled?: boolean; enable?: boolean; procPerNode?: string };
  };
  status?: {
    phase?: string;
    startTime?: string | null;
    completionTime?: string | null;
    conditions?: Condition[];
    tasks?: { type: string; replicas?: Replica[] }[];
    replicaStatuses?: Record<string, { active?: number; succeeded?: number; failed?: number }>;
    tensorboard?: {
      ready?: boolean;
      reason?: string;
      note?: string;
      dependent?: { name?: string; namespace?: string };
    };
  };
}

export const phases = [
  'Pending',
  'Running',
  'Paused',
  'Resuming',
  'Succeeded',
  'Failed',
  'Unknown',
] as const;

/** What the conditions of Kubeflow's kinds are called here. The last that holds tells. */
const phaseOfCondition: Record<string, string> = {
  Created: 'Pending',
  Restarting: 'Pending',
  Running: 'Running',
  Suspended: 'Paused',
  Succeeded: 'Succeeded',
  Failed: 'Failed',
};

/** A job that no controller has looked at yet waits like any other. */
export function phaseOf(job: Job): string {
  if (job.status?.phase) return job.status.phase;
  if (isKubeflow(job)) {
    const holding = (job.status?.conditions ?? []).filter(({ status }) => status === 'True');
    const last = holding.findLast(({ type }) => phaseOfCondition[type]);
    if (last) return phaseOfCondition[last.type] as string;
  }
  return 'Pending';
}

/** The API keeps the word Failed; users of this console know it as Error. */
export function phaseWord(phase: string): string {
  return phase === 'Failed' ? 'Error' : phase;
}

export function hasEnded(job: Job): boolean {
  return ['Succeeded', 'Failed'].includes(phaseOf(job));
}

/** Whether the user has asked for it to be held, whatever has come of it so far. */
export function isHeld({ spec }: Job): boolean {
  return spec?.runMode?.pause?.enabled ?? spec?.runPolicy?.suspend ?? false;
}

function isKubeflow(job: Job): boolean {
  return job.apiVersion?.startsWith('kubeflow.org/') ?? false;
}

export function kindOf(job: Job): Kind | undefined {
  return jobKinds.find(
    ({ group, version, kind }) => job.kind === kind && job.apiVersion === `${group}/${version}`,
  );
}

/** The kind's name in addresses. */
export function kindIdOf(job: Job): string {
  const kind = kindOf(job);
  return kind ? kindId(kind) : '';
}

export interface ReplicaType {
  type: string;
  replicas: number;
  restartPolicy: string;
  pod: PodSpec;
}

function replicaType(type: string, spec: Omit<ReplicaSpec, 'type'>): ReplicaType {
  const policy = spec.restartPolicy;
  return {
    type,
    replicas: spec.replicas ?? 1,
    restartPolicy: (typeof policy === 'string' ? policy : policy?.policy) ?? '-',
    pod: spec.template?.spec ?? {},
  };
}

/** The replica types, in whichever form the kind has them. */
export function replicaTypes({ spec = {} }: Job): ReplicaType[] {
  if (spec.replicaSpecs) return spec.replicaSpecs.map((each) => replicaType(each.type, each));
  const byType = spec.pytorchReplicaSpecs ?? spec.tfReplicaSpecs ?? spec.mpiReplicaSpecs ?? {};
  return Object.entries(byType).map(([type, each]) => replicaType(type, each));
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
  return replicaTypes(job).map(({ type, replicas }) => ({
    type,
    running: job.status?.replicaStatuses?.[type]?.active ?? 0,
    total: replicas,
  }));
}

/** What all replicas ask for together. The launcher of an MPI job only starts the others and does not count. */
export function amountsOf(job: Job): Amounts {
  const sum: Amounts = new Map();
  for (const { type, replicas, pod } of replicaTypes(job)) {
    if (job.kind === 'MPIJob' && type.toLowerCase() === 'launcher') continue;
    addContainers(sum, pod.containers, replicas);
  }
  return sum;
}

export function extendedOf(job: Job): string[] {
  return [...amountsOf(job).keys()].filter(isExtended).sort();
}

export function claimsOf(job: Job): string[] {
  const names = replicaTypes(job).flatMap(({ pod }) =>
    (pod.volumes ?? []).flatMap(
      ({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [],
    ),
  );
  return [...new Set(names)];
}

export type Scheduler = 'default' | 'T9k';

export function schedulerOf(job: Job): Scheduler {
  return job.spec?.scheduler?.t9kScheduler ? 'T9k' : 'default';
}

/** A job that names no queue waits in the one called default. */
export function queueOf({ spec }: Job): string {
  return (
    spec?.scheduler?.t9kScheduler?.queue || spec?.runPolicy?.schedulingPolicy?.queue || 'default'
  );
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

/** Why the job failed, or what it waits for, in the words of whoever decided it. */
export function causeOf(job: Job): string | undefined {
  const conditions = job.status?.conditions ?? [];
  const said = (type: string, status: string) =>
    conditions.find((condition) => condition.type === type && condition.status === status);
  const phase = phaseOf(job);
  if (phase === 'Failed') return message(said('Failed', 'True') ?? said('Completed', 'True'));
  if (phase === 'Pending' || phase === 'Resuming') {
    return message(
      said('ReplicaFailure', 'True') ?? said('Running', 'False') ?? said('Initialized', 'False'),
    );
  }
  return undefined;
}

function message(condition: Condition | undefined): string | undefined {
  return condition?.message?.trim() || condition?.reason || undefined;
}
