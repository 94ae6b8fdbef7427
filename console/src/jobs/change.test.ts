import { describe, expect, it } from 'vitest';
import { debugCopy, holding, scaled, scalingOf, wantedReplicas } from './change';
import type { Job } from './job';

const job: Job = {
  apiVersion: 'batch.tensorstack.dev/v1beta1',
  kind: 'PyTorchTrainingJob',
  metadata: {
    name: 'fit',
    namespace: 'team',
    uid: 'u1',
    resourceVersion: '7',
    labels: { a: 'b' },
  },
  spec: {
    replicaSpecs: [{ type: 'node', replicas: 2 }],
    elastic: { enabled: true, minReplicas: 1, maxReplicas: 4, expectedReplicas: 3 },
    runMode: { pause: { enabled: true } },
  },
  status: { phase: 'Failed' },
};
const kubeflow: Job = {
  apiVersion: 'kubeflow.org/v1',
  kind: 'PyTorchJob',
  metadata: { name: 'k' },
  spec: {
    elasticPolicy: { minReplicas: 2, maxReplicas: 5 },
    pytorchReplicaSpecs: { Master: { replicas: 1 }, Worker: { replicas: 3 } },
  },
};

describe('scaling', () => {
  it('has bounds and a number of its own in each family', () => {
    expect(scalingOf(job)).toEqual({ least: 1, most: 4, now: 3 });
    expect(scalingOf(kubeflow)).toEqual({ least: 2, most: 5, now: 3 });
    expect(scaled(job, 2)).toEqual({ spec: { elastic: { expectedReplicas: 2 } } });
    expect(scaled(kubeflow, 2)).toEqual({
      spec: { pytorchReplicaSpecs: { Worker: { replicas: 2 } } },
    });
  });

  it('is not for jobs that are not elastic', () => {
    const fixed = { ...job, spec: { ...job.spec, elastic: { enabled: false } } };
    expect(scalingOf(fixed)).toBeUndefined();
  });

  it('takes whole numbers within the bounds only', () => {
    const bounds = { least: 1, most: 4, now: 3 };
    expect(wantedReplicas(' 4 ', bounds)).toBe(4);
    for (const text of ['0', '5', '-1', '2.5', '1e0', '', 'x']) {
      expect(wantedReplicas(text, bounds)).toBeUndefined();
    }
  });
});

describe('a copy for debugging', () => {
  it('has the spec but nothing that belongs to the first, idles and is not held', () => {
    const copy = debugCopy(job, 'fit-debug');
    expect(copy.metadata).toEqual({ name: 'fit-debug', namespace: 'team', labels: { a: 'b' } });
    expect(copy).not.toHaveProperty('status');
    expect(copy.spec).toMatchObject({
      replicaSpecs: [{ type: 'node', replicas: 2 }],
      runMode: { debug: { enabled: true }, pause: { enabled: false } },
    });
  });
});

describe('holding', () => {
  it('is written where the kind has it', () => {
    expect(holding(job, true)).toEqual({ spec: { runMode: { pause: { enabled: true } } } });
    expect(holding(kubeflow, false)).toEqual({ spec: { runPolicy: { suspend: false } } });
  });
});
