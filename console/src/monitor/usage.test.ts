import { describe, expect, it } from 'vitest';
import { podTimes } from './pod_times';
import {
  chartsOf,
  extendedNames,
  lastOf,
  rowsOf,
  smoothed,
  timesOf,
  type Usage,
  usagePath,
} from './usage';
import { monitorWords } from './words';

const t = monitorWords.peek();
const curve = (...mean: (number | null)[]) => ({ mean, low: mean, high: mean });

function usage(name: string, changes: Partial<Usage> = {}): Usage {
  return {
    metadata: { name },
    begin: '2026-11-16T00:00:00Z',
    from: '2026-11-16T00:00:00Z',
    stepSeconds: 2,
    usage: { cpu: curve(1, 2, null), memory: curve(5, 5, 5), networkSent: curve(0, 0, 0) },
    requests: { cpu: [1, 1, null] },
    limits: { cpu: [2, 2, null], 'nvidia.com/gpu': [1, 1, null] },
    ...changes,
  };
}

describe('usagePath', () => {
  const question = {
    from: undefined,
    to: undefined,
    points: 300,
    perReplica: false,
    metrics: ['cpu'],
  };

  it('asks for the sum of all pods of an owner', () => {
    expect(usagePath({ namespace: 'demo', owner: 'u-1' }, question)).toBe(
      '/apis/usage.trainyard.dev/v1/namespaces/demo/podusages?owner=u-1&points=300&metrics=cpu&sum=true',
    );
  });

  it('asks for a job that is gone by its name', () => {
    expect(usagePath({ namespace: 'demo', job: 'fit' }, question)).toContain('/podusages?job=fit&');
  });

  it('asks for a time, for single pods, for a node of all projects', () => {
    const asked = usagePath(
      { namespace: '', node: 'n' },
      { ...question, from: 0, perReplica: true },
    );
    expect(asked).toBe(
      '/apis/usage.trainyard.dev/v1/podusages?node=n&from=1970-01-01T00%3A00%3A00.000Z&points=300&metrics=cpu',
    );
  });
});

describe('chartsOf', () => {
  it('draws request, limit and usage, and one chart for each extended resource', () => {
    const charts = chartsOf('resources', [usage('sum')], t);
    expect(charts.map(({ title }) => title)).toEqual([t.cpu, t.memory, 'nvidia.com/gpu']);
    expect(charts[0]?.lines.map(({ name }) => name)).toEqual([t.request, t.limit, t.usage]);
    expect(charts[1]?.lines.map(({ name }) => name)).toEqual([t.usage]);
    expect(charts[2]).toMatchObject({ legend: false, unit: 'count' });
  });

  it('draws one line a replica, and levels of extended resources for all', () => {
    const charts = chartsOf('resources', [usage('a'), usage('b')], t);
    expect(charts[0]?.lines.map(({ name, colour }) => [name, colour])).toEqual([
      ['a', 0],
      ['b', 1],
    ]);
    expect(charts[2]?.lines[0]?.values).toEqual([2, 2, null]);
  });

  it('has charts of GPUs for the figures that there are', () => {
    const gpus = { 'gpu-1.utilization': curve(50), 'gpu-1.power': curve(300) };
    const charts = chartsOf('gpu', [usage('sum', { usage: gpus })], t);
    expect(charts.map(({ id }) => id)).toEqual(['utilization', 'power']);
    expect(charts[0]?.lines).toMatchObject([{ name: 'gpu-1', colour: 1 }]);
    expect(chartsOf('gpu', [usage('sum')], t)).toEqual([]);
  });
});

describe('what the charts need', () => {
  it('knows the time of each step', () => {
    const from = Date.parse('2026-11-16T00:00:00Z') / 1000;
    expect(timesOf([usage('sum')])).toEqual([from, from + 2, from + 4]);
    expect(timesOf([])).toEqual([]);
  });

  it('knows the last value, and which extended resources there are', () => {
    expect(lastOf([1, 2, null])).toBe(2);
    expect(lastOf([null])).toBeNull();
    expect(extendedNames([usage('a'), usage('b')])).toEqual(['nvidia.com/gpu']);
  });

  it('makes tables of no more rows than people read', () => {
    expect(rowsOf(3, 60)).toEqual([0, 1, 2]);
    const rows = rowsOf(1000, 60);
    expect(rows).toHaveLength(60);
    expect([rows[0], rows.at(-1)]).toEqual([0, 999]);
  });
});

describe('podTimes', () => {
  const ended = (finishedAt: string) => ({ state: { terminated: { finishedAt } } });

  it('knows the end of a pod when its last container has ended', () => {
    const containerStatuses = [ended('2026-11-16T00:00:09Z'), ended('2026-11-16T00:00:05Z')];
    const status = { startTime: '2026-11-16T00:00:00Z', containerStatuses };
    expect(podTimes({ status: { ...status, phase: 'Running' } }).finish).toBeUndefined();
    expect(podTimes({ status: { ...status, phase: 'Failed' } })).toEqual({
      start: '2026-11-16T00:00:00Z',
      finish: '2026-11-16T00:00:09Z',
    });
    expect(podTimes(undefined)).toEqual({ start: undefined, finish: undefined });
  });
});

describe('smoothed', () => {
  it('takes the mean of what is around, and makes nothing up', () => {
    expect(smoothed([0, 3, 0, 3, null, 6], 3)).toEqual([1.5, 1, 2, 1.5, null, 6]);
  });

  it('leaves steps alone that are as long as what it takes the mean of', () => {
    expect(smoothed([0, 3], 1)).toEqual([0, 3]);
  });
});

describe('usage of several replicas', () => {
  it('is smooth where it is a rate, and as it was where it is a level', () => {
    const flutter = usage('a', {
      usage: { cpu: curve(0, 1, 0, 1, 0, 1), memory: curve(1, 2, 1, 2, 1, 2) },
    });
    const [cpu, memory] = chartsOf('resources', [flutter, flutter], t);
    expect(cpu?.lines[0]?.values[2]).toBeCloseTo(0.4);
    expect(memory?.lines[0]?.values).toEqual([1, 2, 1, 2, 1, 2]);
  });
});
