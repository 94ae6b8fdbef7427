// How far jobs have come, as their logs and event files say. No screen in here.

interface Counter {
  at: number;
  /** Of how many; nobody knows where it is not there. */
  of?: number;
}

export interface Progress {
  epoch?: Counter;
  step?: Counter;
  unit?: string;
  /** 0 to 1. */
  share?: number;
  /** A second. */
  rate?: number;
  rateUnit?: string;
  secondsLeft?: number;
  values?: Record<string, number>;
}

export interface ProgressList {
  items: { owner: string; progress: Progress }[];
}

/** By the job's uid. */
export function progressByJob({ items }: ProgressList): Map<string, Progress> {
  return new Map(items.map(({ owner, progress }) => [owner, progress]));
}

/** Where it is asked for, of jobs by their uids: the first replica of each type is where trainings print. */
export function progressPath(namespace: string, jobs: Iterable<string>): string {
  const scope = namespace ? `/namespaces/${namespace}` : '';
  const named = Array.from(jobs, (uid) => `&job=${uid}`).join('');
  return `/api/v1${scope}/pods?progress=true&labelSelector=replica-index%3D0${named}`;
}

function counted(name: string, { at, of }: Counter): string {
  return of === undefined ? `${name} ${at}` : `${name} ${at}/${of}`;
}

/** `epoch 2/5, step 100/600`: names are the program's own. */
export function positionText({ epoch, step, unit = 'step' }: Progress): string {
  return [epoch && counted('epoch', epoch), step && counted(unit, step)].filter(Boolean).join(', ');
}

function digits(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** `batches`; what programs shorten, such as `it`, stays. */
function several(unit: string): string {
  if (unit.length < 3 || unit.endsWith('s')) return unit;
  return /(?:[sx]|tch|sh)$/.test(unit) ? `${unit}es` : `${unit}s`;
}

/** `4.2 steps/s`, in the unit in which it is a number that can be read. */
export function rateText({ rate, rateUnit = 'step' }: Progress): string {
  if (rate === undefined) return '';
  const units = several(rateUnit);
  if (rate >= 0.1) return `${digits(rate)} ${units}/s`;
  if (rate * 60 >= 0.1) return `${digits(rate * 60)} ${units}/min`;
  return `${digits(rate * 3600)} ${units}/h`;
}

/** `loss 0.41`, no more than so many. */
export function valuesText({ values = {} }: Progress, most: number): string {
  return Object.entries(values)
    .slice(0, most)
    .map(([name, value]) => `${name} ${Number(value.toPrecision(4))}`)
    .join(', ');
}
