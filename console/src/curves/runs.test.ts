import { expect, it } from 'vitest';
import { isShown, runsOf } from './runs';

function job(name: string, ...runs: string[]) {
  const list = {
    folders: [],
    elsewhere: [],
    warnings: [],
    runs: runs.map((run) => ({ name: run, version: '1', curves: [] })),
  };
  return { id: `pytorchjobs.kubeflow.org/${name}`, name, list };
}

it('have the names that tell them apart', () => {
  expect(runsOf([job('a', '.', 'eval')]).map(({ name }) => name)).toEqual(['a', 'eval']);
  const two = runsOf([job('a', '.', 'eval'), job('b', 'eval')]);
  expect(two.map(({ name }) => name)).toEqual(['a', 'a · eval', 'b · eval']);
  expect(two.map(({ number }) => number)).toEqual([0, 1, 2]);
  expect(new Set(two.map(({ id }) => id)).size).toBe(3);
});

it('are shown as chosen, and else the first of them', () => {
  const many = runsOf([job('a', ...Array.from({ length: 30 }, (_, i) => `r${i}`))]);
  expect(many.filter((run) => isShown(run, new Map())).length).toBe(20);
  const chosen = new Map([
    [many[0]?.id ?? '', false],
    [many[29]?.id ?? '', true],
  ]);
  expect(many.filter((run) => isShown(run, chosen)).map(({ number }) => number)).toEqual([
    ...Array.from({ length: 19 }, (_, i) => i + 1),
    29,
  ]);
});
