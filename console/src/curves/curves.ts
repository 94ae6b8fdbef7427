// What the server tells of training curves, and what is made of it. No screen in here.

/** JSON has no word for what is no number. */
type ToldNumber = number | 'NaN' | 'Infinity' | '-Infinity';

export interface CurveFacts {
  tag: string;
  /** How many points were written. */
  points: number;
  last: { step: number; time: number; value: ToldNumber };
}

export interface RunFacts {
  name: string;
  /** While it is the same, points are only added. */
  version: string;
  curves: CurveFacts[];
}

/** What there is. */
export interface CurveList {
  folders: { volume: string; path: string }[];
  /** Where nothing of ours can read: S3 and HTTP. */
  elsewhere: string[];
  runs: RunFacts[];
  warnings: string[];
}

/** Some points of one curve. */
export interface CurvePart {
  run: string;
  tag: string;
  version: string;
  points: number;
  steps: number[];
  /** Seconds since 1970. */
  times: number[];
  values: ToldNumber[];
}

export interface CurveAnswer {
  curves: CurvePart[];
  warnings: string[];
}

/** What is held of one curve. */
export interface Curve {
  version: string;
  /** How many points were written; there are more than are held where the server has thinned them. */
  written: number;
  steps: number[];
  times: number[];
  values: number[];
}

export function keyOf(run: string, tag: string): string {
  return `${run}\n${tag}`;
}

export interface Question {
  tags: readonly string[];
  /** None: of all. */
  runs: readonly string[];
  points: number;
  /** Only points of later steps. */
  since?: number | undefined;
  /** Only points of this step and earlier ones. */
  until?: number | undefined;
}

export function curvesPath(job: string, question?: Question): string {
  const query = new URLSearchParams();
  if (question) {
    for (const tag of question.tags) query.append('tag', tag);
    for (const run of question.runs) query.append('run', run);
    query.set('points', String(question.points));
    if (question.since !== undefined) query.set('since', String(question.since));
    if (question.until !== undefined) query.set('until', String(question.until));
  }
  const text = query.toString();
  return `${job}/curves${text && `?${text}`}`;
}

/** A part that is a whole curve. */
export function wholeCurve({ version, points, steps, times, values }: CurvePart): Curve {
  return { version, written: points, steps, times, values: values.map(Number) };
}

/** What has come since is put behind what is there; of another version nothing can be said. */
export function grownCurve(before: Curve | undefined, part: CurvePart): Curve | undefined {
  if (!before || before.version !== part.version) return before;
  const last = before.steps.at(-1) ?? Number.NEGATIVE_INFINITY;
  const from = part.steps.findIndex((step) => step > last);
  if (from < 0) return { ...before, written: part.points };
  return {
    version: part.version,
    written: part.points,
    steps: [...before.steps, ...part.steps.slice(from)],
    times: [...before.times, ...part.times.slice(from)],
    values: [...before.values, ...part.values.slice(from).map(Number)],
  };
}

/** So many names fit into an address. */
const mostTags = 20;
const mostRuns = 30;

function questions(
  tags: Iterable<string>,
  runs: ReadonlySet<string>,
  all: number,
  rest: { points: number; since?: number },
): Question[] {
  const names = [...tags];
  const only = runs.size < all && runs.size <= mostRuns ? [...runs] : [];
  const found: Question[] = [];
  for (let at = 0; at < names.length; at += mostTags) {
    found.push({ tags: names.slice(at, at + mostTags), runs: only, ...rest });
  }
  return found;
}

/**
 * What has to be asked for, so that the curves of these tags are as the list says: whole curves where nothing of use is
 * held, and what has come since where they have grown.
 */
export function missing(
  runs: readonly RunFacts[],
  held: ReadonlyMap<string, Curve>,
  tags: ReadonlySet<string>,
  points: number,
): Question[] {
  const whole = { tags: new Set<string>(), runs: new Set<string>() };
  const grown = { tags: new Set<string>(), runs: new Set<string>() };
  let since = Number.POSITIVE_INFINITY;
  for (const run of runs) {
    for (const { tag, points: written } of run.curves) {
      if (!tags.has(tag)) continue;
      const curve = held.get(keyOf(run.name, tag));
      const usable = curve?.version === run.version && curve.written <= written;
      // What was added bit by bit becomes finer than can be drawn: then all anew.
      if (!curve || !usable || curve.steps.length > 3 * points) {
        whole.tags.add(tag);
        whole.runs.add(run.name);
      } else if (curve.written < written) {
        grown.tags.add(tag);
        grown.runs.add(run.name);
        since = Math.min(since, curve.steps.at(-1) ?? -1);
      }
    }
  }
  return [
    ...questions(whole.tags, whole.runs, runs.length, { points }),
    ...questions(grown.tags, grown.runs, runs.length, { points, since }),
  ];
}

export interface Group {
  /** What stands before the first slash; empty: tags without one. */
  name: string;
  tags: string[];
}

function byName(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

/** Tags of all runs by their prefix; those without one first. */
export function groupsOf(runs: readonly RunFacts[], search = ''): Group[] {
  const wanted = search.trim().toLowerCase();
  const groups = new Map<string, Set<string>>();
  for (const { curves } of runs) {
    for (const { tag } of curves) {
      if (!tag.toLowerCase().includes(wanted)) continue;
      const slash = tag.indexOf('/');
      const name = slash > 0 ? tag.slice(0, slash) : '';
      const tags = groups.get(name) ?? new Set();
      groups.set(name, tags.add(tag));
    }
  }
  return [...groups]
    .sort(([a], [b]) => byName(a, b))
    .map(([name, tags]) => ({ name, tags: [...tags].sort(byName) }));
}

/**
 * An exponential moving average whose first values are not drawn towards zero, as TensorBoard's. What is no number stays
 * and changes nothing; a constant stays one.
 */
export function smoothed(values: readonly number[], weight: number): number[] {
  const first = values.find(Number.isFinite);
  const constant = values.every((value) => value === first);
  if (weight <= 0 || constant) return [...values];
  let last = 0;
  let rest = 1;
  return values.map((value) => {
    if (!Number.isFinite(value)) return value;
    last = last * weight + (1 - weight) * value;
    rest *= weight;
    return last / (1 - rest);
  });
}

export const axes = ['step', 'relative', 'wall'] as const;
export type Axis = (typeof axes)[number];

/** A curve along an axis: by rising x, one point each. */
export interface Track {
  xs: number[];
  steps: number[];
  times: number[];
  values: number[];
}

/**
 * Programs that begin again write the same steps again: the last that was written holds. `begin` is when the run began,
 * where the curve is only a part of it.
 */
export function trackOf(curve: Curve, axis: Axis, begin = curve.times[0] ?? 0): Track {
  const x = (index: number) => {
    if (axis === 'step') return curve.steps[index] ?? 0;
    const time = curve.times[index] ?? 0;
    return axis === 'wall' ? time : time - begin;
  };
  const order = curve.steps.map((_, index) => index);
  const rising = order.every((index) => index === 0 || x(index - 1) < x(index));
  if (!rising) order.sort((a, b) => x(a) - x(b) || a - b);
  const kept = rising
    ? order
    : order.filter((at, i) => i + 1 === order.length || x(at) !== x(order[i + 1] as number));
  const pick = (from: readonly number[]) => kept.map((index) => from[index] ?? 0);
  return {
    xs: kept.map(x),
    steps: pick(curve.steps),
    times: pick(curve.times),
    values: pick(curve.values),
  };
}

/** The place of what is nearest to `x` in numbers that rise; -1 where there are none. */
export function nearest(rising: readonly number[], x: number): number {
  let low = 0;
  let high = rising.length - 1;
  if (high < 0) return -1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rising[middle] as number) < x) low = middle + 1;
    else high = middle;
  }
  const before = low > 0 && x - (rising[low - 1] as number) < (rising[low] as number) - x;
  return before ? low - 1 : low;
}

/** Where on its axis a track was at a time. Times rise nearly always. */
export function xAt({ xs, times }: Track, time: number): number | undefined {
  return xs[nearest(times, time)];
}

export function timeAt({ xs, times }: Track, x: number): number | undefined {
  return times[nearest(xs, x)];
}

export interface Zoom {
  from: number;
  to: number;
}

/** The steps that lie in a part of the axis, with one point before: for asking for more of them. */
export function stepsWithin(
  tracks: readonly Track[],
  zoom: Zoom,
): { since: number; until: number } | undefined {
  let since = Number.POSITIVE_INFINITY;
  let until = Number.NEGATIVE_INFINITY;
  for (const { xs, steps } of tracks) {
    const first = xs.findIndex((x) => x >= zoom.from);
    const last = xs.findLastIndex((x) => x <= zoom.to);
    if (first < 0 || last < 0) continue;
    since = Math.min(since, (steps[Math.max(0, first - 1)] as number) - 1);
    until = Math.max(until, steps[Math.min(steps.length - 1, last + 1)] as number);
  }
  return since < until ? { since, until } : undefined;
}

/** Half of what is seen, or twice as much, around its middle, within what there is. */
export function scaled(seen: Zoom, whole: Zoom, factor: number): Zoom | undefined {
  const middle = (seen.from + seen.to) / 2;
  const half = ((seen.to - seen.from) * factor) / 2;
  const from = Math.max(whole.from, middle - half);
  const to = Math.min(whole.to, middle + half);
  return from <= whole.from && to >= whole.to ? undefined : { from, to };
}

/** Where values are no numbers any more. */
export function firstOdd({ values, steps }: Track): { step: number; value: number } | undefined {
  const at = values.findIndex((value) => !Number.isFinite(value));
  return at < 0 ? undefined : { step: steps[at] ?? 0, value: values[at] ?? Number.NaN };
}

/** Four digits tell enough. */
export function figure(value: number | undefined): string {
  if (value === undefined) return '-';
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) {
    return value.toExponential(3).replace(/\.?0+e/, 'e');
  }
  if (size >= 1000) return String(Math.round(value));
  const text = value.toPrecision(4);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** 45 s, 3 m 20 s, 2 h 5 m: what has passed since a run began. */
export function spanText(seconds: number): string {
  const whole = Math.round(seconds);
  if (Math.abs(seconds) < 10 && whole !== seconds) return `${figure(seconds)} s`;
  if (whole < 60) return `${whole} s`;
  const pair = (large: number, one: string, small: number, other: string) =>
    small === 0 ? `${large} ${one}` : `${large} ${one} ${small} ${other}`;
  if (whole < 3600) return pair(Math.floor(whole / 60), 'm', whole % 60, 's');
  return pair(Math.floor(whole / 3600), 'h', Math.floor((whole % 3600) / 60), 'm');
}
