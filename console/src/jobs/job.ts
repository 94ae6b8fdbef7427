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
  /** Succeeded or Failed, of a pod that has ended and is gone. */
  endedAs?: string;
  restarts?: number;
  containers?: { name: string; state?: string; exitCode?: number }[];
}

/** How one pod failed, as whoever runs the job has seen it. */
export interface Failure {
  name: string;
  uid?: string;
  container?: string;
  exitCode?: number;
  signal?: number;
  reason?: string;
  message?: string;
  /** Its pod has other containers, too. */
  besideOthers?: boolean;
  memoryLimit?: string;
  /** The line of its log that tells most. */
  lastLine?: string;
}

export interface PodSpec {
  containers?: {
    name: string;
    image?: string;
    resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  }[];
  initContainers?: { name: string }[];
  volumes?: { persistentVolumeClaim?: { claimName?: string } }[];
}

interface ReplicaSpec {
  type: string;
  replicas?: number;
  restartPolicy?: string | { policy?: string };
  template?: { spec?: PodSpec };
}

interface Elastic {
  minReplicas?: number;
  maxReplicas?: number;
}

/** Kubeflow's kinds name their replica types by keys. */
type ReplicaSpecsByType = Record<string, Omit<ReplicaSpec, 'type'>>;

/** What the engine remembers of a job: its status, or with Kubeflow's kinds a part of that. */
interface Memory {
  /** Of the last time that any pod failed, in the order of time. */
  failures?: Failure[];
  tasks?: { type: string; replicas?: Replica[] }[];
  conditions?: Condition[];
}

export interface Job extends KubeObject {
  spec?: {
    replicaSpecs?: ReplicaSpec[];
    pytorchReplicaSpecs?: ReplicaSpecsByType;
    tfReplicaSpecs?: ReplicaSpecsByType;
    mpiReplicaSpecs?: ReplicaSpecsByType;
    /** Of T9k's MPI jobs in their older form; nothing is said of the launcher there. */
    worker?: Omit<ReplicaSpec, 'type'>;
    runMode?: {
      pause?: { enabled?: boolean };
      debug?: { enabled?: boolean; enable?: boolean };
    };
    elastic?: Elastic & { enabled?: boolean; expectedReplicas?: number };
    /** Kubeflow's way to say the same. */
    elasticPolicy?: Elastic;
    scheduler?: { t9kScheduler?: { queue?: string; priority?: number } };
    runPolicy?: { suspend?: boolean; schedulingPolicy?: { queue?: string } };
    torchrunConfig?: { enabled?: boolean; enable?: boolean; procPerNode?: string };
  };
  status?: Memory & {
    phase?: string;
    startTime?: string | null;
    completionTime?: string | null;
    /** Of all pauses that are over. */
    pausedSeconds?: number;
    conditions?: Condition[];
    trainyard?: Memory;
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

/** When a pause began, or was over, in whichever words the kind has for it. */
function pauseTime({ status }: Job): string | undefined {
  const pauses = status?.conditions?.filter(({ type }) => ['Paused', 'Suspended'].includes(type));
  return pauses?.at(-1)?.lastTransitionTime;
}

/**
 * From when to when it has run, so that the time between is what it ran: nothing before it runs, and a clock that
 * stands still while it is held.
 */
export function runSpan(job: Job): { from?: string | undefined; to?: string | undefined } {
  const { startTime, completionTime, pausedSeconds = 0 } = job.status ?? {};
  const phase = phaseOf(job);
  const start = Date.parse(startTime ?? '');
  if (phase === 'Pending' || Number.isNaN(start)) return {};
  const from = new Date(start + pausedSeconds * 1000).toISOString();
  const held = phase === 'Paused' || phase === 'Resuming';
  return { from, to: completionTime ?? (held ? pauseTime(job) : undefined) };
}

/** Whether the user has asked for it to be held, whatever has come of it so far. */
export function isHeld({ spec }: Job): boolean {
  return spec?.runMode?.pause?.enabled ?? spec?.runPolicy?.suspend ?? false;
}

/** Whether its pods idle, to be looked into. */
export function isDebug({ spec }: Job): boolean {
  return spec?.runMode?.debug?.enabled ?? spec?.runMode?.debug?.enable ?? false;
}

export function isKubeflow(job: Job): boolean {
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

/** T9k's MPI jobs have a launcher, whether it is written down or not; what it lacks is the worker's. */
function withLauncher(types: readonly ReplicaType[]): ReplicaType[] {
  const others = types.filter(({ type }) => type !== 'launcher');
  const launcher =
    types.find(({ type }) => type === 'launcher') ?? replicaType('launcher', { replicas: 1 });
  if (launcher.pod.containers?.length) return [launcher, ...others];
  const image = others[0]?.pod.containers?.[0]?.image;
  const containers = [{ name: 'launcher', ...(image && { image }) }];
  return [{ ...launcher, pod: { ...launcher.pod, containers } }, ...others];
}

/** The replica types, in whichever form the kind has them. */
export function replicaTypes({ kind, spec = {} }: Job): ReplicaType[] {
  if (spec.worker) return withLauncher([replicaType('worker', spec.worker)]);
  if (spec.replicaSpecs) {
    const types = spec.replicaSpecs.map((each) => replicaType(each.type, each));
    return kind === 'MPIJob' ? withLauncher(types) : types;
  }
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

export function memoryOf({ status = {} }: Job): Memory {
  return status.trainyard ?? status;
}

/** How many replicas of a type are in which phase. What became of a pod counts, though it is gone. */
export function phaseCounts(job: Job, type: string): { phase: string; count: number }[] {
  const { tasks = [] } = memoryOf(job);
  const replicas = tasks.find((task) => task.type === type.toLowerCase())?.replicas ?? [];
  const counts = new Map<string, number>();
  for (const { phase, endedAs } of replicas) {
    const shown = endedAs || phase || 'Pending';
    counts.set(shown, (counts.get(shown) ?? 0) + 1);
  }
  return [...counts].map(([phase, count]) => ({ phase, count }));
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
  return phase === 'Running' ? stallOf(job) : undefined;
}

/**
 * The failure that all that is told of the cause is about: the one that the conditions name first. Undefined where no
 * pod failed.
 */
export function leadOf(job: Job): Failure | undefined {
  const conditions = job.status?.conditions ?? [];
  const holds = conditions.filter(({ status }) => status === 'True');
  const said =
    holds.find(({ type }) => type === 'Failed') ??
    holds.find(({ type, reason }) => type === 'ReplicaFailure' && reason === 'ErrorInPod');
  const [, pod] = /Pod\[([^\]]+)\]/.exec(said?.message ?? '') ?? [];
  return memoryOf(job).failures?.find(({ name }) => name === pod);
}

/** `worker-2` of the pod `mnist-40c14-worker-2`: T9k's kinds put five letters of the job's own between. */
export function replicaOfPod(job: string, pod: string): string {
  if (!pod.startsWith(`${job}-`)) return pod;
  return pod.slice(job.length + 1).replace(/^[0-9a-f]{5}-(?=.*\D)/, '');
}

const signals: Record<number, string> = {
  1: 'SIGHUP',
  2: 'SIGINT',
  3: 'SIGQUIT',
  4: 'SIGILL',
  6: 'SIGABRT',
  7: 'SIGBUS',
  8: 'SIGFPE',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  13: 'SIGPIPE',
  15: 'SIGTERM',
  24: 'SIGXCPU',
};

function signalName(number: number): string {
  return signals[number] ?? `signal ${number}`;
}

/** `worker-2 failed (exit 1): KeyError: 'lr'`, as commands say it. When and where is in the conditions. */
export function shortCause(job: Job): string | undefined {
  const lead = leadOf(job);
  if (!lead) return undefined;
  const { exitCode = 0, signal = 0, reason, message, memoryLimit, lastLine } = lead;
  const who = replicaOfPod(job.metadata.name, lead.name);
  if (exitCode === 0) return `${who} failed: ${reason ?? '?'}${message ? ` (${message})` : ''}`;
  if ((reason === 'StartError' || reason === 'ContainerCannotRun') && message) {
    return `${who} did not start: ${message}`;
  }
  const where = lead.besideOthers && lead.container ? ` in container ${lead.container}` : '';
  // Who is killed has no last word.
  if (reason === 'OOMKilled') {
    const limit = memoryLimit ? `: its limit is ${memoryLimit}` : '';
    return `${who} failed${where} (out of memory${limit})`;
  }
  if (signal) return `${who} failed${where} (killed by ${signalName(signal)})`;
  const isSignal = exitCode > 128 && exitCode <= 192;
  const killer = isSignal ? `, which is 128 + ${signalName(exitCode - 128)}` : '';
  return `${who} failed${where} (exit ${exitCode}${killer})${lastLine ? `: ${lastLine}` : ''}`;
}

/** Which rank has stopped moving, or keeps the others waiting. */
export function stallOf({ status = {} }: Job): string | undefined {
  const conditions = [...(status.conditions ?? []), ...(status.trainyard?.conditions ?? [])];
  const holds = (type: string) =>
    conditions.find((condition) => condition.type === type && condition.status === 'True');
  return message(holds('Stalled') ?? holds('Straggling'));
}

function message(condition: Condition | undefined): string | undefined {
  return condition?.message?.trim() || condition?.reason || undefined;
}
