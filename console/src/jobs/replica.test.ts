import { describe, expect, it } from 'vitest';
import type { Job } from './job';
import { lastLineOf, type Pod, replicaRows } from './replica';

const owner = { ownerReferences: [{ uid: 'job-uid' }] };
const job: Job = {
  metadata: { name: 'j', uid: 'job-uid' },
  status: {
    tasks: [
      { type: 'worker', replicas: [{ name: 'j-worker-0', phase: 'Failed', restarts: 2 }] },
      { type: 'launcher', replicas: [{ name: 'j-launcher-0', phase: 'Deleted', uid: 'old' }] },
    ],
  },
};
const failed: Pod = {
  metadata: { name: 'j-worker-0', uid: 'pod-uid', ...owner },
  spec: { containers: [{ name: 'python' }] },
  status: {
    containerStatuses: [
      {
        name: 'python',
        state: {
          terminated: { exitCode: 1, reason: 'Error', message: 'Traceback\nValueError: no\n' },
        },
      },
    ],
  },
};

describe('replicas', () => {
  it('put the launcher first and tell what a failed one said last', () => {
    const [launcher, worker] = replicaRows(job, [failed]);
    expect(launcher).toMatchObject({ name: 'j-launcher-0', phase: 'Deleted', uid: 'old' });
    expect(launcher?.pod).toBeUndefined();
    expect(worker).toMatchObject({
      type: 'worker',
      restarts: 2,
      exitCode: 1,
      reason: 'Error',
      lastLine: 'ValueError: no',
      containers: ['python'],
    });
  });

  it('tell how one failed whose pod is gone', () => {
    const cleaned: Job = {
      metadata: { name: 'j', uid: 'job-uid' },
      status: {
        failures: [
          { name: 'j-worker-0', uid: 'earlier', lastLine: 'of the try before' },
          { name: 'j-worker-0', uid: 'u', container: 'main', reason: 'Error', lastLine: 'no!' },
        ],
        tasks: [
          {
            type: 'worker',
            replicas: [
              {
                name: 'j-worker-0',
                uid: 'u',
                phase: 'Deleted',
                endedAs: 'Failed',
                containers: [{ name: 'main', exitCode: 3 }],
              },
            ],
          },
        ],
      },
    };
    expect(replicaRows(cleaned, [])).toMatchObject([
      {
        tag: 'worker-0',
        failed: true,
        exitCode: 3,
        reason: 'Error',
        lastLine: 'no!',
        failedContainer: 'main',
      },
    ]);
  });

  it('do not take the pods of others, even under the same name', () => {
    const other = { ...failed, metadata: { name: 'j-worker-0', uid: 'other' } };
    expect(replicaRows(job, [other]).every(({ pod }) => pod === undefined)).toBe(true);
  });

  it('are found by labels where the status does not name them', () => {
    const pod = (type: string, index: string): Pod => ({
      metadata: {
        name: `${type}-${index}`,
        labels: {
          'training.kubeflow.org/replica-type': type,
          'training.kubeflow.org/replica-index': index,
        },
        ...owner,
      },
    });
    const kubeflow: Job = {
      metadata: { name: 'k', uid: 'job-uid' },
      spec: { pytorchReplicaSpecs: { Master: {}, Worker: {} } },
    };
    const rows = replicaRows(kubeflow, [
      pod('worker', '10'),
      pod('worker', '2'),
      pod('master', '0'),
    ]);
    expect(rows.map(({ name }) => name)).toEqual(['master-0', 'worker-2', 'worker-10']);
  });

  it('of a Kubeflow job are remembered when their pods are gone', () => {
    const kubeflow: Job = {
      metadata: { name: 'k', uid: 'job-uid' },
      spec: { pytorchReplicaSpecs: { Master: {} } },
      status: {
        trainyard: {
          tasks: [
            {
              type: 'master',
              replicas: [{ name: 'k-master-0', phase: 'Deleted', endedAs: 'Failed' }],
            },
          ],
          failures: [{ name: 'k-master-0', exitCode: 3, lastLine: 'no data' }],
        },
      },
    };
    const [row] = replicaRows(kubeflow, []);
    expect(row).toMatchObject({ tag: 'master-0', failed: true, exitCode: 3, lastLine: 'no data' });
  });

  it('know the last line', () => {
    expect(lastLineOf('a\nb\n\n')).toBe('b');
    expect(lastLineOf(undefined)).toBeUndefined();
  });
});
