import { describe, expect, it } from 'vitest';
import {
  exitCodeOf,
  type Job,
  newestConditionFirst,
  phaseOf,
  phaseWord,
  replicaCounts,
} from './job';

const job: Job = { metadata: { name: 'ddp' } };

describe('job', () => {
  it('is Pending before the first status, and says Error for Failed', () => {
    expect(phaseOf(job)).toBe('Pending');
    expect(phaseWord('Failed')).toBe('Error');
    expect(phaseWord('Succeeded')).toBe('Succeeded');
  });

  it('counts the replicas of the status, or else those of the specification', () => {
    const spec = { replicaSpecs: [{ type: 'node', replicas: 4 }, { type: 'extra' }] };
    expect(replicaCounts({ ...job, spec })).toEqual([
      { type: 'node', running: 0, total: 4 },
      { type: 'extra', running: 0, total: 1 },
    ]);
    const replicas = [
      { name: 'a', phase: 'Running' },
      { name: 'b', phase: 'Pending' },
    ];
    expect(
      replicaCounts({ ...job, spec, status: { tasks: [{ type: 'node', replicas }] } }),
    ).toEqual([{ type: 'node', running: 1, total: 2 }]);
  });

  it('gives the exit code of the container that failed', () => {
    const ended = (...codes: (number | undefined)[]) =>
      exitCodeOf({
        name: 'pod',
        containers: codes.map((exitCode) =>
          exitCode === undefined ? { name: 'c' } : { name: 'c', exitCode },
        ),
      });
    expect(ended()).toBeUndefined();
    expect(ended(undefined)).toBeUndefined();
    expect(ended(0, 137)).toBe(137);
    expect(ended(undefined, 0)).toBe(0);
  });

  it('puts the newest condition first', () => {
    const sorted = newestConditionFirst([
      { type: 'Initialized', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' },
      { type: 'NoTime', status: 'True' },
      { type: 'Running', status: 'True', lastTransitionTime: '2026-01-01T00:00:05Z' },
    ]);
    expect(sorted.map(({ type }) => type)).toEqual(['Running', 'Initialized', 'NoTime']);
  });
});
