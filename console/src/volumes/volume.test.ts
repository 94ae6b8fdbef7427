import { expect, test } from 'vitest';
import { type Claim, loses, phaseOf, sizeProblem, usersOf } from './volume';

const claim = (name = 'data'): Claim => ({ metadata: { name, namespace: 'ml' } });

test('a size must be a quantity, and larger than what there is', () => {
  expect(sizeProblem('')).toBe('missing');
  expect(sizeProblem('much')).toBe('malformed');
  expect(sizeProblem('-1Gi')).toBe('malformed');
  expect(sizeProblem(' 2Gi ')).toBeUndefined();
  expect(sizeProblem('1Gi', 2 ** 30)).toBe('notLarger');
  expect(sizeProblem('1025Mi', 2 ** 30)).toBeUndefined();
});

test('users are the pods of its project that have not ended', () => {
  const pod = (name: string, phase: string, claimName: string, namespace = 'ml') => ({
    metadata: { name, namespace },
    spec: { volumes: [{}, { persistentVolumeClaim: { claimName } }] },
    status: { phase },
  });
  const pods = [
    pod('b', 'Running', 'data'),
    pod('a', 'Pending', 'data'),
    pod('done', 'Succeeded', 'data'),
    pod('other', 'Running', 'models'),
    pod('elsewhere', 'Running', 'data', 'default'),
  ];
  expect(usersOf(claim(), pods)).toEqual(['a', 'b']);
});

test('only a volume that says so takes its files along', () => {
  expect(loses(undefined)).toBeUndefined();
  expect(
    loses({ metadata: { name: 'v' }, spec: { persistentVolumeReclaimPolicy: 'Delete' } }),
  ).toBe(true);
  expect(
    loses({ metadata: { name: 'v' }, spec: { persistentVolumeReclaimPolicy: 'Retain' } }),
  ).toBe(false);
});

test('one that is being deleted says so', () => {
  expect(phaseOf(claim())).toBe('Pending');
  expect(
    phaseOf({ metadata: { name: 'x', deletionTimestamp: 'now' }, status: { phase: 'Bound' } }),
  ).toBe('Terminating');
});
