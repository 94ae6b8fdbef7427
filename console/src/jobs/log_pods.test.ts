import { describe, expect, it } from 'vitest';
import type { Job } from './job';
import { type KeptPod, keptLogPods, keptPath, logPods } from './log_pods';
import { replicaRows } from './replica';

const job: Job = {
  metadata: { name: 'fit', uid: 'job-uid', creationTimestamp: '2026-11-16T10:00:00Z' },
  status: {
    tasks: [
      {
        type: 'worker',
        replicas: [
          { name: 'fit-x-worker-0', phase: 'Deleted', uid: 'u0', containers: [{ name: 'main' }] },
        ],
      },
    ],
  },
};

function kept(type: string, index: string, uid: string, at: string, owner = 'fit'): KeptPod {
  return {
    metadata: {
      name: `fit-x-${type}-${index}`,
      uid,
      labels: {
        'tensorstack.dev/owner-name': owner,
        'replica-type': type,
        'replica-index': index,
      },
    },
    kept: at,
  };
}

describe('logs of a job', () => {
  it('are there for replicas that were cleaned up', () => {
    expect(logPods(job, replicaRows(job, []), [])).toEqual([
      {
        name: 'fit-x-worker-0',
        uid: 'u0',
        phase: 'Deleted',
        tag: 'worker-0',
        containers: ['main'],
        ranBefore: false,
      },
    ]);
  });

  it('know whether a replica ran before, by its restarts or by what was kept of another pod', () => {
    const runBefore = (restarts: number, keptPods: KeptPod[]) => {
      const replicas = [{ name: 'fit-x-worker-0', uid: 'u1', restarts }];
      const again = { ...job, status: { tasks: [{ type: 'worker', replicas }] } };
      return logPods(again, replicaRows(again, []), keptPods)[0]?.ranBefore;
    };
    const at = '2026-11-16T11:00:00Z';
    expect(runBefore(0, [kept('worker', '0', 'u1', at)])).toBe(false);
    expect(runBefore(1, [])).toBe(true);
    expect(runBefore(0, [kept('worker', '0', 'u0', at)])).toBe(true);
  });

  it('know their containers before there is a pod', () => {
    const fresh: Job = {
      metadata: job.metadata,
      spec: {
        replicaSpecs: [{ type: 'worker', template: { spec: { containers: [{ name: 'main' }] } } }],
      },
      status: {
        tasks: [{ type: 'worker', replicas: [{ name: 'fit-x-worker-0', phase: 'Creating' }] }],
      },
    };
    expect(logPods(fresh, replicaRows(fresh, []), [])).toMatchObject([{ containers: ['main'] }]);
  });

  it('are there for pods that only the archive knows, but not for those of an earlier job or another', () => {
    const pods = logPods(job, replicaRows(job, []), [
      kept('worker', '0', 'first-try', '2026-11-16T10:01:00.5Z'),
      kept('worker', '1', 'old', '2026-11-16T09:00:00.5Z'),
      kept('worker', '2', 'a', '2026-11-16T10:02:00.5Z'),
      kept('worker', '2', 'b', '2026-11-16T10:03:00.5Z'),
      kept('worker', '3', 'c', '2026-11-16T10:03:00.5Z', 'other'),
    ]);
    expect(pods.map(({ tag, uid }) => [tag, uid])).toEqual([
      ['worker-0', 'u0'],
      ['worker-2', 'b'],
    ]);
  });

  it('are found when the job itself is gone', () => {
    const found = keptLogPods('fit', [
      kept('worker', '10', 'x', '1'),
      kept('worker', '2', 'old', '1'),
      kept('worker', '2', 'new', '2'),
      kept('worker', '0', 'z', '2', 'other'),
    ]);
    expect(found.map(({ tag, uid }) => [tag, uid])).toEqual([
      ['worker-2', 'new'],
      ['worker-10', 'x'],
    ]);
  });

  it('are asked for in their project', () => {
    expect(keptPath('a b')).toBe('/api/v1/namespaces/a%20b/pods?kept=true');
  });
});
