// What can be changed of a job that is there, and what of it becomes another one. No screen in here.
import type { KubeObject } from '../live/protocol';
import { isKubeflow, type Job, replicaTypes } from './job';

/** Each family of kinds has its own place for it. */
export function holding(job: Job, held: boolean): object {
  return isKubeflow(job)
    ? { spec: { runPolicy: { suspend: held } } }
    : { spec: { runMode: { pause: { enabled: held } } } };
}

export interface Scaling {
  least: number;
  most: number;
  now: number;
}

/** Undefined when the number of replicas is fixed. */
export function scalingOf(job: Job): Scaling | undefined {
  const { elastic, elasticPolicy } = job.spec ?? {};
  const bounds = elastic?.enabled ? elastic : elasticPolicy;
  if (!bounds) return undefined;
  const counted = replicaTypes(job)
    .filter(({ type }) => !isKubeflow(job) || type === 'Worker')
    .reduce((sum, { replicas }) => sum + replicas, 0);
  const now = (elastic?.enabled ? elastic.expectedReplicas : undefined) ?? counted;
  const least = bounds.minReplicas ?? 1;
  return { least, most: bounds.maxReplicas ?? Math.max(now, least), now };
}

export function scaled(job: Job, replicas: number): object {
  return isKubeflow(job)
    ? { spec: { pytorchReplicaSpecs: { Worker: { replicas } } } }
    : { spec: { elastic: { expectedReplicas: replicas } } };
}

/** The number that was typed, if it is a whole one within the bounds. */
export function wantedReplicas(text: string, { least, most }: Scaling): number | undefined {
  const number = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
  return number >= least && number <= most ? number : undefined;
}

/** The same job under another name, idling. What the server and its controllers wrote stays behind. */
export function debugCopy(job: Job, name: string): KubeObject & { spec: object } {
  const { namespace, labels } = job.metadata;
  const runMode = { ...job.spec?.runMode, debug: { ...job.spec?.runMode?.debug, enabled: true } };
  // One that is held brings up no pods to look into.
  if (runMode.pause) runMode.pause = { ...runMode.pause, enabled: false };
  return {
    apiVersion: job.apiVersion ?? '',
    kind: job.kind ?? '',
    metadata: { name, ...(namespace && { namespace }), ...(labels && { labels }) },
    spec: { ...job.spec, runMode },
  };
}
