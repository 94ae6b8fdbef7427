import { expect, test } from 'vitest';
import { type Node, rolesOf, sharesOf, statusOf, taintText } from './node';

const node = (more: Partial<Node> = {}): Node => ({
  metadata: { name: 'n1', labels: { 'node-role.kubernetes.io/worker': '', other: 'x' } },
  status: {
    allocatable: { cpu: '4', memory: '8Gi', 'nvidia.com/gpu': '2', pods: '110' },
    conditions: [{ type: 'Ready', status: 'True' }],
  },
  ...more,
});

const pod = (name: string, phase: string, cpu: string, nodeName = 'n1') => ({
  metadata: { name },
  spec: {
    nodeName,
    containers: [{ resources: { requests: { cpu }, limits: { 'nvidia.com/gpu': 1 } } }],
  },
  status: { phase },
});

test('a status says whether it is ready and takes pods', () => {
  expect(statusOf(node())).toBe('Ready');
  expect(statusOf(node({ spec: { unschedulable: true } }))).toBe('Ready,SchedulingDisabled');
  expect(statusOf(node({ status: {} }))).toBe('Unknown');
});

test('roles are read of the labels', () => {
  expect(rolesOf(node())).toEqual(['worker']);
});

test('shares count the pods that have not ended', () => {
  const pods = [
    pod('a', 'Running', '500m'),
    pod('b', 'Pending', '1'),
    pod('c', 'Succeeded', '2'),
    pod('d', 'Running', '2', 'n2'),
  ];
  expect(sharesOf(node(), pods)).toEqual([
    { resource: 'cpu', requested: 1.5, allocatable: 4 },
    { resource: 'memory', requested: 0, allocatable: 8 * 2 ** 30 },
    { resource: 'nvidia.com/gpu', requested: 2, allocatable: 2 },
    { resource: 'pods', requested: 2, allocatable: 110 },
  ]);
});

test('a taint is written as kubectl writes it', () => {
  expect(taintText({ key: 'gpu', value: 'a', effect: 'NoSchedule' })).toBe('gpu=a:NoSchedule');
  expect(taintText({ key: 'gpu', effect: 'NoExecute' })).toBe('gpu:NoExecute');
});
