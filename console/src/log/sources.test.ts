import { describe, expect, it } from 'vitest';
import {
  canHaveRunBefore,
  chosenPods,
  containersOf,
  mostTogether,
  sourcesOf,
  type TaggedPod,
} from './sources';

const pod = (tag: string, ...containers: string[]): TaggedPod => ({
  name: `job-${tag}`,
  uid: `uid-${tag}`,
  phase: 'Running',
  containers,
  tag,
});
const all = [pod('launcher-0', 'mpi', 'proxy'), pod('worker-0', 'ssh'), pod('worker-1', 'ssh')];
const choice = { replica: '', container: '', previous: false };
const names = (container: string) =>
  sourcesOf('default', all, { ...choice, container }).map((each) => [each.tag, each.container]);

describe('the run before', () => {
  it('is offered unless it is known that there was none', () => {
    const [one = pod('a'), two = pod('b')] = all;
    expect(canHaveRunBefore(all)).toBe(true);
    expect(canHaveRunBefore([{ ...one, ranBefore: false }])).toBe(false);
    expect(
      canHaveRunBefore([
        { ...one, ranBefore: false },
        { ...two, ranBefore: true },
      ]),
    ).toBe(true);
  });
});

describe('the logs of a job', () => {
  it('are all of its replicas, or the one that was chosen', () => {
    expect(chosenPods(all, choice)).toHaveLength(3);
    expect(chosenPods(all, { ...choice, replica: 'worker-1' }).map(({ tag }) => tag)).toEqual([
      'worker-1',
    ]);
    expect(chosenPods(all, { ...choice, replica: 'gone-7' }), 'from an old address').toHaveLength(
      3,
    );
    const many = Array.from({ length: 300 }, (_, i) => pod(`worker-${i}`, 'main'));
    expect(chosenPods(many, choice)).toHaveLength(mostTogether);
  });

  it('are of the main container of each, which kinds of replicas call differently', () => {
    expect(names('')).toEqual([
      ['launcher-0', 'mpi'],
      ['worker-0', 'ssh'],
      ['worker-1', 'ssh'],
    ]);
    expect(containersOf(all)).toEqual(['mpi', 'proxy', 'ssh']);
  });

  it('are of those that have the container, when one was chosen', () => {
    expect(names('proxy')).toEqual([['launcher-0', 'proxy']]);
    expect(names('nonsense')).toHaveLength(3);
  });

  it('name no container where none is known: the server finds the only one', () => {
    expect(sourcesOf('default', [pod('worker-0')], choice)[0]?.container).toBe('');
  });
});
