import { describe, expect, it } from 'vitest';
import {
  type Curve,
  type CurvePart,
  curvesPath,
  figure,
  firstOdd,
  groupsOf,
  grownCurve,
  keyOf,
  missing,
  nearest,
  type RunFacts,
  scaled,
  smoothed,
  spanText,
  stepsWithin,
  timeAt,
  trackOf,
  wholeCurve,
  xAt,
} from './curves';

function run(name: string, points: Record<string, number>, version = '1'): RunFacts {
  const last = { step: 0, time: 0, value: 0 };
  const curves = Object.entries(points).map(([tag, many]) => ({ tag, points: many, last }));
  return { name, version, curves };
}

function curve(steps: number[], part: Partial<Curve> = {}): Curve {
  const times = steps.map((step) => 1000 + step);
  return { version: '1', written: steps.length, steps, times, values: steps.map(Number), ...part };
}

function part(steps: number[], more: Partial<CurvePart> = {}): CurvePart {
  const { times, values } = curve(steps);
  return {
    run: '.',
    tag: 'loss',
    version: '1',
    points: steps.length,
    steps,
    times,
    values,
    ...more,
  };
}

describe('the question', () => {
  it('names tags and runs as they are', () => {
    const question = { tags: ['a/b', 'c,d'], runs: ['.'], points: 600, since: 7 };
    expect(curvesPath('/j', question)).toBe(
      '/j/curves?tag=a%2Fb&tag=c%2Cd&run=.&points=600&since=7',
    );
    expect(curvesPath('/j')).toBe('/j/curves');
  });

  it('is for all of a curve that is not known', () => {
    const asked = missing([run('.', { loss: 5, acc: 5 })], new Map(), new Set(['loss']), 600);
    expect(asked).toEqual([{ tags: ['loss'], runs: [], points: 600 }]);
  });

  it('is for what has come since where a curve has grown, and only there', () => {
    const held = new Map([
      [keyOf('a', 'loss'), curve([1, 2, 3])],
      [keyOf('b', 'loss'), curve([1, 2])],
    ]);
    const runs = [run('a', { loss: 5 }), run('b', { loss: 2 })];
    expect(missing(runs, held, new Set(['loss']), 600)).toEqual([
      { tags: ['loss'], runs: ['a'], points: 600, since: 3 },
    ]);
    expect(missing([run('a', { loss: 3 })], held, new Set(['loss']), 600)).toEqual([]);
  });

  it('is for all when the run was rewritten, or what is held has become too fine', () => {
    const held = new Map([[keyOf('a', 'loss'), curve([1, 2, 3, 4])]]);
    const rewritten = missing([run('a', { loss: 9 }, '2')], held, new Set(['loss']), 600);
    expect(rewritten).toEqual([{ tags: ['loss'], runs: [], points: 600 }]);
    const fine = missing([run('a', { loss: 9 })], held, new Set(['loss']), 1);
    expect(fine).toEqual([{ tags: ['loss'], runs: [], points: 1 }]);
  });

  it('is cut into addresses of a fit length', () => {
    const tags = Array.from({ length: 45 }, (_, i) => `t${i}`);
    const facts = run('.', Object.fromEntries(tags.map((tag) => [tag, 1])));
    const asked = missing([facts], new Map(), new Set(tags), 600);
    expect(asked.map((each) => each.tags.length)).toEqual([20, 20, 5]);
  });
});

describe('what has come since', () => {
  it('is put behind, without what is there already', () => {
    const grown = grownCurve(curve([1, 2, 3]), part([3, 4, 5], { points: 5 }));
    expect(grown?.steps).toEqual([1, 2, 3, 4, 5]);
    expect(grown?.values).toEqual([1, 2, 3, 4, 5]);
    expect(grown?.written).toBe(5);
  });

  it('is not mixed with another version', () => {
    const before = curve([1, 2, 3]);
    expect(grownCurve(before, part([4], { version: '2' }))).toBe(before);
    expect(grownCurve(undefined, part([4]))).toBeUndefined();
  });

  it('may be nothing', () => {
    expect(grownCurve(curve([1, 2]), part([], { points: 2 }))?.steps).toEqual([1, 2]);
  });
});

it('reads what JSON has no numbers for', () => {
  const { values } = wholeCurve(part([1, 2, 3], { values: [0.5, 'NaN', '-Infinity'] }));
  expect(values).toEqual([0.5, Number.NaN, Number.NEGATIVE_INFINITY]);
});

it('groups tags by what stands before the slash, those without one first', () => {
  const runs = [
    run('.', { 'val/loss': 1, 'train/loss': 1, lr: 1 }),
    run('b', { 'train/acc10': 1, 'train/acc2': 1 }),
  ];
  expect(groupsOf(runs)).toEqual([
    { name: '', tags: ['lr'] },
    { name: 'train', tags: ['train/acc2', 'train/acc10', 'train/loss'] },
    { name: 'val', tags: ['val/loss'] },
  ]);
  expect(groupsOf(runs, ' LOSS')).toEqual([
    { name: 'train', tags: ['train/loss'] },
    { name: 'val', tags: ['val/loss'] },
  ]);
});

describe('smoothing', () => {
  it('is a moving average that is not drawn towards zero at first', () => {
    const [first, second, third] = smoothed([1, 2, 3], 0.5);
    expect(first).toBeCloseTo(1);
    expect(second).toBeCloseTo((0.25 * 1 + 0.5 * 2) / 0.75);
    expect(third).toBeCloseTo((0.125 * 1 + 0.25 * 2 + 0.5 * 3) / 0.875);
  });

  it('leaves alone what it is not asked to smooth, constants, and what is no number', () => {
    expect(smoothed([3, 1, 2], 0)).toEqual([3, 1, 2]);
    expect(smoothed([7, 7, 7], 0.9)).toEqual([7, 7, 7]);
    const odd = smoothed([1, Number.NaN, 1, 2], 0.5);
    expect(odd[1]).toBeNaN();
    expect(odd[2]).toBeCloseTo(1);
    expect(smoothed([], 0.5)).toEqual([]);
  });
});

describe('a track', () => {
  it('goes by step, by time since its begin, or by the clock', () => {
    const from = curve([10, 20, 30]);
    expect(trackOf(from, 'step').xs).toEqual([10, 20, 30]);
    expect(trackOf(from, 'relative').xs).toEqual([0, 10, 20]);
    expect(trackOf(from, 'wall').xs).toEqual([1010, 1020, 1030]);
  });

  it('holds the last that was written of steps that a program repeats', () => {
    const again = curve([1, 2, 3, 2, 4], { times: [1, 2, 3, 4, 5], values: [1, 2, 3, 20, 40] });
    expect(trackOf(again, 'step')).toEqual({
      xs: [1, 2, 3, 4],
      steps: [1, 2, 3, 4],
      times: [1, 4, 3, 5],
      values: [1, 20, 3, 40],
    });
  });

  it('finds times and places', () => {
    const track = trackOf(curve([10, 20, 30]), 'step');
    expect(timeAt(track, 19)).toBe(1020);
    expect(xAt(track, 1011)).toBe(10);
    expect(xAt({ xs: [], steps: [], times: [], values: [] }, 1)).toBeUndefined();
    expect([nearest([1, 2, 9], -5), nearest([1, 2, 9], 6), nearest([1, 2, 9], 99)]).toEqual([
      0, 2, 2,
    ]);
  });

  it('tells where its values are no numbers any more', () => {
    expect(firstOdd(trackOf(curve([1, 2], { values: [1, Number.NaN] }), 'step'))?.step).toBe(2);
    expect(firstOdd(trackOf(curve([1, 2]), 'step'))).toBeUndefined();
  });
});

describe('a zoom', () => {
  it('asks for the steps in it and one around', () => {
    const tracks = [trackOf(curve([10, 20, 30, 40]), 'wall')];
    expect(stepsWithin(tracks, { from: 1015, to: 1031 })).toEqual({ since: 9, until: 40 });
    expect(stepsWithin(tracks, { from: 5000, to: 6000 })).toBeUndefined();
  });

  it('grows and shrinks around its middle until it is all', () => {
    const whole = { from: 0, to: 100 };
    expect(scaled(whole, whole, 0.5)).toEqual({ from: 25, to: 75 });
    expect(scaled({ from: 0, to: 50 }, whole, 2)).toEqual({ from: 0, to: 75 });
    expect(scaled({ from: 20, to: 80 }, whole, 2)).toBeUndefined();
  });
});

it('writes values and spans briefly', () => {
  const values = [0, 1, 0.123456, 123456, 1234567, 0.0000123, -2.5, Number.NaN, undefined];
  expect(values.map(figure)).toEqual([
    '0',
    '1',
    '0.1235',
    '123456',
    '1.235e+6',
    '1.23e-5',
    '-2.5',
    'NaN',
    '-',
  ]);
  expect([0, 0.25, 45, 200, 3600, 7500].map(spanText)).toEqual([
    '0 s',
    '0.25 s',
    '45 s',
    '3 m 20 s',
    '1 h',
    '2 h 5 m',
  ]);
});
