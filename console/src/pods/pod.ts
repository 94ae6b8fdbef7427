// What the console reads of pods. No screen in here.
import type { Condition, PodSpec } from '../jobs/job';
import type { KubeObject } from '../live/protocol';
import { type Amounts, addContainers, isExtended } from '../quantity';
import type { Words } from '../words/en';

interface ContainerState {
  waiting?: { reason?: string; message?: string };
  running?: { startedAt?: string };
  terminated?: {
    reason?: string;
    exitCode?: number;
    signal?: number;
    message?: string;
    startedAt?: string;
    finishedAt?: string;
  };
}

export interface ContainerStatus {
  name: string;
  ready?: boolean;
  restartCount?: number;
  state?: ContainerState;
  lastState?: ContainerState;
}

export interface Container {
  name: string;
  image?: string;
  command?: string[];
  args?: string[];
  workingDir?: string;
  env?: { name: string; value?: string; valueFrom?: object }[];
  ports?: { containerPort: number; protocol?: string; name?: string }[];
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  volumeMounts?: { name: string; mountPath: string; subPath?: string; readOnly?: boolean }[];
}

export interface Pod extends KubeObject {
  spec?: Omit<PodSpec, 'containers' | 'volumes'> & {
    containers?: Container[];
    initContainers?: Container[];
    nodeName?: string;
    schedulerName?: string;
    restartPolicy?: string;
    serviceAccountName?: string;
    volumes?: Volume[];
  };
  status?: {
    phase?: string;
    reason?: string;
    message?: string;
    podIP?: string;
    hostIP?: string;
    startTime?: string;
    qosClass?: string;
    conditions?: Condition[];
    containerStatuses?: ContainerStatus[];
    initContainerStatuses?: ContainerStatus[];
  };
}

type Volume = { name: string; persistentVolumeClaim?: { claimName?: string } } & Record<
  string,
  unknown
>;

export const podPhases = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'] as const;

export function phaseOfPod({ metadata, status }: Pod): string {
  if (metadata.deletionTimestamp) return 'Terminating';
  return status?.phase || 'Pending';
}

/** Why this container does not run; undefined when it does, or has ended well. */
function stateReason({ state }: ContainerStatus): string | undefined {
  const { waiting, terminated } = state ?? {};
  if (waiting?.reason) return waiting.reason;
  if (!terminated || terminated.exitCode === 0) return undefined;
  return terminated.reason || `ExitCode:${terminated.exitCode}`;
}

/** Before the containers come the init containers, one after the other. */
function initStatus({ spec, status }: Pod): string | undefined {
  const all = spec?.initContainers ?? [];
  const statuses = status?.initContainerStatuses ?? [];
  const done = statuses.filter(({ state }) => state?.terminated?.exitCode === 0).length;
  if (all.length === 0 || done >= all.length || status?.phase !== 'Pending') return undefined;
  const trouble = statuses
    .map(stateReason)
    .find((reason) => reason && reason !== 'PodInitializing');
  return `Init:${trouble ?? `${done}/${all.length}`}`;
}

/** In one word, as kubectl tells it: what a container is stuck at says more than the phase. */
export function podStatus(pod: Pod): string {
  const { metadata, status } = pod;
  if (metadata.deletionTimestamp) return 'Terminating';
  if (status?.reason) return status.reason;
  const init = initStatus(pod);
  if (init) return init;
  const trouble = (status?.containerStatuses ?? []).map(stateReason).find(Boolean);
  if (trouble) return trouble;
  if (status?.phase === 'Succeeded') return 'Completed';
  return status?.phase || 'Pending';
}

/** The line of a container's log that tells most of its end, which this server's node notes in a condition. */
function telling({ status }: Pod, container: string): string | undefined {
  const note = status?.conditions?.find(({ type }) => type === 'trainyard.dev/Ended')?.message;
  const line = note?.split('\n').find((each) => each.startsWith(`${container} ended at `));
  const [, said] = /^\S+ ended at \S+: (.*)$/.exec(line ?? '') ?? [];
  return said;
}

function lastLine(text: string | undefined): string | undefined {
  return text?.trim().split('\n').at(-1) || undefined;
}

function failedStatus({ status }: Pod): ContainerStatus | undefined {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return all.find(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0);
}

/** The name of the container that has failed. */
export function failedContainer(pod: Pod): string | undefined {
  return failedStatus(pod)?.name;
}

/** What there is to tell of it on top: all of it has failed, one of its containers has, or it waits. */
export function troubleKind(pod: Pod): 'failed' | 'container failed' | 'waits' {
  if (phaseOfPod(pod) === 'Failed') return 'failed';
  return failedContainer(pod) ? 'container failed' : 'waits';
}

/** What stands in its way, in the words of whoever says it, and how its program ended. */
export function troubleOfPod(pod: Pod): { text?: string | undefined; exitCode?: number } {
  const { status } = pod;
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const failed = failedStatus(pod);
  if (failed?.state?.terminated) {
    const { message, exitCode = 0 } = failed.state.terminated;
    return { text: lastLine(message) ?? telling(pod, failed.name), exitCode };
  }
  const waiting = all.find(({ state }) => state?.waiting?.message)?.state?.waiting;
  if (waiting) return { text: waiting.message };
  const unscheduled = status?.conditions?.find(
    (each) => each.type === 'PodScheduled' && each.status === 'False',
  );
  return { text: unscheduled?.message || status?.message };
}

export function troubleText(pod: Pod, t: Words): string {
  const { text, exitCode } = troubleOfPod(pod);
  return [exitCode !== undefined && t.exitedWith(exitCode), text].filter(Boolean).join(' · ');
}

/** What its icon shows: a container that has failed or cannot start is worse than the phase tells. */
export function iconOfPod(pod: Pod): string {
  const waiting = (pod.status?.containerStatuses ?? []).map(({ state }) => state?.waiting?.reason);
  const stuck = waiting.find((reason) => reason && /BackOff|Err/.test(reason));
  const phase = phaseOfPod(pod);
  if (phase === 'Terminating') return phase;
  return stuck ?? (troubleKind(pod) === 'container failed' ? 'Failed' : phase);
}

export function readyCount({ spec, status }: Pod): string {
  const ready = (status?.containerStatuses ?? []).filter((each) => each.ready).length;
  return `${ready} / ${spec?.containers?.length ?? 0}`;
}

export function restartsOf({ status }: Pod): number {
  return (status?.containerStatuses ?? []).reduce((sum, each) => sum + (each.restartCount ?? 0), 0);
}

/** Whether there was a run before this one; undefined of a pod that is gone and told nobody. */
export function ranBefore(pod: Pod): boolean | undefined {
  const { annotations } = pod.metadata;
  // The job that it belongs to counts the pods that its replica had before.
  if (Number(annotations?.['trainyard.dev/restarts'] ?? 0) > 0) return true;
  return pod.status?.containerStatuses ? restartsOf(pod) > 0 : undefined;
}

export function amountsOfPod(pod: Pod): Amounts {
  const sum: Amounts = new Map();
  addContainers(sum, pod.spec?.containers, 1);
  return sum;
}

export function extendedOfPod(pod: Pod): string[] {
  return [...amountsOfPod(pod).keys()].filter(isExtended).sort();
}

const t9k = 'scheduler.tensorstack.dev';

export function groupOf({ metadata: { labels, annotations } }: Pod): string | undefined {
  return annotations?.['scheduling.k8s.io/group-name'] || labels?.[`${t9k}/group-name`];
}

/** A pod that names no queue waits in the one called default. */
export function queueOfPod({ metadata }: Pod): string {
  return metadata.labels?.[`${t9k}/queue`] || 'default';
}

/** The names of the containers that have a log, in the order in which they run. */
export function containerNames({ spec }: Pod): string[] {
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map(({ name }) => name);
}

export function claimsOfPod({ spec }: Pod): string[] {
  return (spec?.volumes ?? []).flatMap((each) => each.persistentVolumeClaim?.claimName ?? []);
}

/** `PersistentVolumeClaim shared`, `emptyDir`: what a volume is made of. */
export function volumeText({ name, ...source }: Volume): string {
  const claim = source.persistentVolumeClaim?.claimName;
  const [kind = '-'] = Object.keys(source);
  return `${name}: ${claim ? `PersistentVolumeClaim ${claim}` : kind}`;
}
