import { expect, test } from 'vitest';
import { amountsText, countsOf, groupsIn, type PodGroup, stateOf } from './queue';

const group = (name: string, phase: string, queue?: string): PodGroup => ({
  metadata: { name },
  spec: { ...(queue && { queue }) },
  status: { phase },
});

test('a queue holds the groups that name it, and the default one those that name none', () => {
  const groups = [
    group('a', 'Running', 'gpu'),
    group('b', 'Pending'),
    group('c', 'Inqueue', 'gpu'),
  ];
  const gpu = groupsIn({ metadata: { name: 'gpu' } }, groups);
  expect(gpu.map(({ metadata }) => metadata.name)).toEqual(['a', 'c']);
  expect(countsOf(gpu)).toEqual({ running: 1, pending: 1 });
  expect(groupsIn({ metadata: { name: 'default' } }, groups)).toHaveLength(1);
});

test('states and amounts are words', () => {
  expect(stateOf({ metadata: { name: 'q' } })).toBe('Open');
  expect(stateOf({ metadata: { name: 'q' }, status: { state: 'Closed' } })).toBe('Closed');
  expect(amountsText({ cpu: 64, 'nvidia.com/gpu': '8' })).toBe('cpu: 64, nvidia.com/gpu: 8');
  expect(amountsText(undefined)).toBe('-');
});
