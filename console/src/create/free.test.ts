import { describe, expect, it } from 'vitest';
import { freeOf } from './free';

describe('what is free', () => {
  it('is what nodes give and living pods have not asked for', () => {
    const node = { status: { allocatable: { cpu: '8', memory: '16Gi', 'nvidia.com/gpu': '2' } } };
    const closed = { spec: { unschedulable: true }, ...node };
    const pod = (phase: string, nodeName?: string) => ({
      spec: {
        ...(nodeName && { nodeName }),
        containers: [
          { resources: { requests: { cpu: '1500m' }, limits: { 'nvidia.com/gpu': '1' } } },
        ],
      },
      status: { phase },
    });
    const free = freeOf(
      [node, closed],
      [pod('Running', 'a'), pod('Pending', 'a'), pod('Succeeded', 'a'), pod('Pending')],
    );
    expect(free.get('cpu')).toEqual({ free: 5, all: 8 });
    expect(free.get('nvidia.com/gpu')).toEqual({ free: 0, all: 2 });
    expect(free.get('memory')).toEqual({ free: 16 * 2 ** 30, all: 16 * 2 ** 30 });
  });
});
