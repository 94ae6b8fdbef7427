import { describe, expect, it } from 'vitest';
import { copyOfPod, missingOfPod, newContainer, startOfPod } from './pod_form';

describe('the form of a pod', () => {
  it('needs a name, and of each container a name and an image', () => {
    expect(missingOfPod(startOfPod)).toEqual(['metadata.name', 'spec.containers[0].image']);
    const named = {
      metadata: { name: 'x' },
      spec: {
        containers: [{ ...newContainer('a'), image: 'host', env: [{ name: '', value: 'v' }] }],
        initContainers: [newContainer('')],
      },
    };
    expect(missingOfPod(named)).toEqual([
      'spec.initContainers[0].name',
      'spec.initContainers[0].image',
      'spec.containers[0].env[0].name',
    ]);
  });

  it('copies a pod without its place', () => {
    expect(copyOfPod({ nodeName: 'node-0', restartPolicy: 'Never' })).toEqual({
      restartPolicy: 'Never',
    });
  });
});
