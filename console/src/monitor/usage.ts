// What the server tells of usage over time, and what charts are made of it. No screen in here.
import { isExtended } from '../quantity';
import type { Unit } from './units';
import type { MonitorWords } from './words';

/** One entry a step; null where nothing is known. */
export type Values = (number | null)[];

interface Curve {
  mean: Values;
  low: Values;
  high: Values;
}

/** Of one pod, or of several together. */
export interface Usage {
  metadata: { name: string };
  begin: string;
  end?: string;
  from: string;
  stepSeconds: number;
  usage: Record<string, Curve>;
  requests: Record<string, Values>;
  limits: Record<string, Values>;
}

export interface UsageList {
  /** Nothing is known of the time before. */
  recordedSince: string;
  items: Usage[];
}

/** Whose usage: what all that is given says together. */
export interface Source {
  /** Empty: of all projects. */
  namespace: string;
  /** The uid of the job, notebook or other owner of the pods. */
  owner?: string | undefined;
  /** The name of the job: of one that is gone the uid is not known. */
  job?: string | undefined;
  /** The name of a pod; pods of that name one after another count as one. */
  pod?: string | undefined;
  /** The name of a node: what its pods use. */
  node?: string | undefined;
}

export interface Question {
  /** Milliseconds since 1970; undefined: when the first pod began, and when the last ended, or now. */
  from: number | undefined;
  to: number | undefined;
  points: number;
  perReplica: boolean;
  metrics: readonly string[];
}

export function usagePath(
  { namespace, owner, job, pod, node }: Source,
  question: Question,
): string {
  const place = namespace ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  const time = (value: number | undefined) =>
    value === undefined ? undefined : new Date(value).toISOString();
  const asked = {
    owner,
    job,
    pod,
    node,
    from: time(question.from),
    to: time(question.to),
    points: String(question.points),
    metrics: question.metrics.join(','),
    sum: question.perReplica ? undefined : 'true',
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) if (value) query.set(name, value);
  return `/apis/usage.trainyard.dev/v1${place}/podusages?${query}`;
}

export const cards = ['resources', 'gpu', 'network', 'storage'] as const;
export type CardName = (typeof cards)[number];

export const gpuMetrics = [
  'utilization',
  'temperature',
  'power',
  'memoryShare',
  'memoryUsed',
  'smClock',
] as const;

/** What the server is asked for; levels come in any case. */
export const metricsOf: Record<CardName, readonly string[]> = {
  resources: ['cpu', 'memory'],
  gpu: ['gpu'],
  network: ['networkReceived', 'networkSent'],
  storage: ['diskCalls', 'diskBytes'],
};

/** A colour of the style sheet: the three of the levels and the usage, then those of replicas and GPUs. */
export type Colour = 'request' | 'limit' | 'usage' | number;

export interface Line {
  name: string;
  colour: Colour;
  values: Values;
  /** The least and the most within each step. */
  low?: Values;
  high?: Values;
}

export interface Chart {
  id: string;
  title: string;
  about?: string;
  unit: Unit;
  lines: Line[];
  /** A single line that the title names needs none. */
  legend: boolean;
  /** Many short names stand beside the lines. */
  beside?: true;
}

/** The seconds since 1970 at which the steps begin. All items of an answer have the same. */
export function timesOf(items: readonly Usage[]): number[] {
  const [first] = items;
  if (!first) return [];
  const length = Math.max(
    0,
    ...Object.values(first.usage).map(({ mean }) => mean.length),
    ...Object.values(first.limits).map((values) => values.length),
  );
  const from = Date.parse(first.from) / 1000;
  return Array.from({ length }, (_, index) => from + index * first.stepSeconds);
}

function add(sum: Values | undefined, more: Values): Values {
  if (!sum) return more;
  return sum.map((value, index) => {
    const other = more[index] ?? null;
    if (value === null || other === null) return value ?? other;
    return value + other;
  });
}

/** Of all items together: with one line a replica, the level is still that of the whole. */
function level(
  items: readonly Usage[],
  which: 'requests' | 'limits',
  resource: string,
): Values | undefined {
  let sum: Values | undefined;
  for (const item of items) {
    const values = item[which][resource];
    if (values) sum = add(sum, values);
  }
  return sum;
}

/** Rates that are measured by the second jump between nothing and something: they are told as of about this long. */
const smoothSeconds = 10;

/** Each value as the mean of those around it, within so many steps; where nothing is known, nothing is made up. */
export function smoothed(values: Values, steps: number): Values {
  const reach = Math.floor(steps / 2);
  if (reach < 1) return values;
  return values.map((value, index) => {
    if (value === null) return null;
    const around = values.slice(Math.max(0, index - reach), index + reach + 1);
    const known = around.filter((each) => each !== null);
    return known.reduce((sum, each) => sum + each, 0) / known.length;
  });
}

function usageLines(items: readonly Usage[], metric: string, t: MonitorWords): Line[] {
  const single = items.length === 1;
  return items.flatMap((item, index): Line[] => {
    const curve = item.usage[metric];
    if (!curve) return [];
    // Memory is a level, not a rate.
    const steps = metric === 'memory' ? 1 : smoothSeconds / item.stepSeconds;
    const values = smoothed(curve.mean, steps);
    if (single) {
      const { low, high } = curve;
      return [{ name: t.usage, colour: 'usage', values, low, high }];
    }
    // The bands of several lines would hide each other.
    return [{ name: item.metadata.name, colour: index, values }];
  });
}

function resourceChart(
  items: readonly Usage[],
  resource: 'cpu' | 'memory',
  unit: Unit,
  t: MonitorWords,
): Chart {
  const lines: Line[] = [];
  // Beside single replicas the level of all together would press their lines to the ground.
  if (items.length === 1) {
    const request = level(items, 'requests', resource);
    const limit = level(items, 'limits', resource);
    if (request) lines.push({ name: t.request, colour: 'request', values: request });
    if (limit) lines.push({ name: t.limit, colour: 'limit', values: limit });
  }
  lines.push(...usageLines(items, resource, t));
  return { id: resource, title: t[resource], about: t.about[resource], unit, lines, legend: true };
}

/** Names such as nvidia.com/gpu that one of the pods asks for. */
export function extendedNames(items: readonly Usage[]): string[] {
  const names = items.flatMap(({ limits }) => Object.keys(limits)).filter(isExtended);
  return [...new Set(names)].sort();
}

function extendedChart(items: readonly Usage[], name: string): Chart {
  const values = level(items, 'limits', name) ?? [];
  const lines: Line[] = [{ name, colour: 'request', values }];
  return { id: name, title: name, unit: 'count', lines, legend: false };
}

const gpuUnits: Record<(typeof gpuMetrics)[number], Unit> = {
  utilization: 'percent',
  temperature: 'celsius',
  power: 'watt',
  memoryShare: 'percent',
  memoryUsed: 'bytes',
  smClock: 'megahertz',
};

/** Metrics of GPUs are called `gpu-0.utilization`. */
function gpuChart(items: readonly Usage[], metric: (typeof gpuMetrics)[number], t: MonitorWords) {
  const lines = items.flatMap(({ usage }) =>
    Object.entries(usage).flatMap(([name, { mean: values, low, high }]) => {
      const [gpu = '', which] = name.split('.');
      const number = Number(gpu.replace('gpu-', ''));
      // Not every GPU has every figure.
      const told = which === metric && lastOf(values) !== null;
      return told ? [{ name: gpu, colour: number, values, low, high }] : [];
    }),
  );
  const title = t.gpuCharts[metric];
  return { id: metric, title, unit: gpuUnits[metric], lines, legend: true, beside: true as const };
}

function plain(
  items: readonly Usage[],
  metric: string,
  word: 'received' | 'sent' | 'operations' | 'throughput',
  unit: Unit,
  t: MonitorWords,
): Chart {
  const lines = usageLines(items, metric, t);
  const legend = lines.length > 1;
  return { id: metric, title: t[word], about: t.about[word], unit, lines, legend };
}

export function chartsOf(card: CardName, items: readonly Usage[], t: MonitorWords): Chart[] {
  switch (card) {
    case 'resources':
      return [
        resourceChart(items, 'cpu', 'cores', t),
        resourceChart(items, 'memory', 'bytes', t),
        ...extendedNames(items).map((name) => extendedChart(items, name)),
      ];
    case 'gpu':
      return gpuMetrics
        .map((metric) => gpuChart(items, metric, t))
        .filter(({ lines }) => lines.length > 0);
    case 'network':
      return [
        plain(items, 'networkReceived', 'received', 'bytesPerSecond', t),
        plain(items, 'networkSent', 'sent', 'bytesPerSecond', t),
      ];
    case 'storage':
      return [
        plain(items, 'diskCalls', 'operations', 'perSecond', t),
        plain(items, 'diskBytes', 'throughput', 'bytesPerSecond', t),
      ];
  }
}

/** The last value that is known. */
export function lastOf(values: Values): number | null {
  return values.findLast((value) => value !== null) ?? null;
}

/** Which steps a table shows: no more than that many, spread evenly, first and last among them. */
export function rowsOf(steps: number, most: number): number[] {
  if (steps <= most) return Array.from({ length: steps }, (_, index) => index);
  return Array.from({ length: most }, (_, index) => Math.round((index * (steps - 1)) / (most - 1)));
}
