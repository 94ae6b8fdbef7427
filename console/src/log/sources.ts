// Which logs of which containers are shown. No screen in here.
import type { LogSource } from './feed';

/** A pod whose log can be read, though it may be gone. */
export interface LogPod {
  name: string;
  uid: string;
  phase: string | undefined;
  /** The main one first. */
  containers: readonly string[];
  /** Whether there was a run before this one, if anybody knows. */
  ranBefore?: boolean;
}

/** With a short name of its own, such as worker-0. */
export type TaggedPod = LogPod & { tag: string };

export interface LogChoice {
  /** By its tag; empty: all together. */
  replica: string;
  /** Empty: the first of each pod. */
  container: string;
  previous: boolean;
}

/** Each is a stream of its own. */
export const mostTogether = 256;

/** The only pod, the one that was chosen, or all of them. */
export function chosenPods(pods: readonly TaggedPod[], { replica }: LogChoice): TaggedPod[] {
  const one = pods.filter(({ tag }) => tag === replica);
  return one.length > 0 ? one : pods.slice(0, mostTogether);
}

export function containersOf(pods: readonly TaggedPod[]): string[] {
  return [...new Set(pods.flatMap(({ containers }) => containers))];
}

/** Whether there can be logs of a run before the last. */
export function canHaveRunBefore(pods: readonly LogPod[]): boolean {
  return pods.some(({ ranBefore }) => ranBefore !== false);
}

/** Pods that do not have the container are left out: those of other replica types. */
export function sourcesOf(
  namespace: string,
  pods: readonly TaggedPod[],
  { container, previous }: LogChoice,
): LogSource[] {
  const known = containersOf(pods).includes(container);
  return pods.flatMap(({ name, uid, phase, tag, containers }) => {
    if (known && !containers.includes(container)) return [];
    const picked = known ? container : (containers[0] ?? '');
    return [{ namespace, pod: name, uid, phase, tag, container: picked, previous }];
  });
}
