import { describe, expect, it } from 'vitest';
import { byLabel, optionsOf, readState, select, toggled, writeState } from '../list/list_state';
import type { Job } from './job';
import { jobRules } from './job_filters';

function job(name: string, phase: string, rest: Partial<Job> = {}): Job {
  return {
    apiVersion: 'batch.tensorstack.dev/v1beta1',
    kind: 'PyTorchTrainingJob',
    metadata: {
      name,
      namespace: 'default',
      creationTimestamp: `2026-01-0${name.length}T00:00:00Z`,
    },
    status: { phase },
    ...rest,
  };
}

const jobs = [
  job('aa', 'Running'),
  job('bbb', 'Failed', { spec: { scheduler: { t9kScheduler: { queue: 'research' } } } }),
  job('c-mpijob', 'Running', { kind: 'MPIJob' }),
];
const names = (query: string) =>
  select(jobs, readState(query, jobRules), jobRules).map(({ metadata }) => metadata.name);

describe('the job list', () => {
  it('is newest first unless another order was asked for', () => {
    expect(names('')).toEqual(['c-mpijob', 'bbb', 'aa']);
    expect(names('sort=created:asc')).toEqual(['aa', 'bbb', 'c-mpijob']);
    expect(names('sort=name:desc')).toEqual(['c-mpijob', 'bbb', 'aa']);
    expect(names('sort=phase:asc')).toEqual(['bbb', 'c-mpijob', 'aa']);
    expect(names('sort=nonsense:asc')).toEqual(['c-mpijob', 'bbb', 'aa']);
  });

  it('finds by a part of the name, whatever its case', () => {
    expect(names('search=MPIJOB')).toEqual(['c-mpijob']);
    expect(names('search=nothing')).toEqual([]);
  });

  it('finds by the phase in all of its words', () => {
    expect(names('search=running')).toEqual(['c-mpijob', 'aa']);
    expect(names('search=Error')).toEqual(['bbb']);
    const rules = jobRules.words;
    expect(rules?.(job('d', 'Succeeded'))).toEqual(['Succeeded', 'Done']);
    expect(names('search=run')).toEqual([]);
  });

  it('combines filters with AND and the values of one with OR', () => {
    expect(names('phase=Running&phase=Failed')).toHaveLength(3);
    expect(names('phase=Running&kind=mpijobs.batch.tensorstack.dev')).toEqual(['c-mpijob']);
    expect(names('scheduler=T9k')).toEqual(['bbb']);
    expect(names('queue=research&phase=Running')).toEqual([]);
  });

  it('offers what there is', () => {
    const queue = jobRules.filters.find(({ name }) => name === 'queue');
    expect(queue && optionsOf(queue, jobs)).toEqual(['default', 'research']);
    expect(
      optionsOf(byLabel, [job('x', 'Running', { metadata: { name: 'x', labels: { a: 'b' } } })]),
    ).toEqual(['a=b']);
  });

  it('reads what it writes, and writes nothing for the plain list', () => {
    expect(writeState(readState('', jobRules))).toBe('');
    const state = toggled(
      readState('search=a+%26b&sort=name:desc&page=3', jobRules),
      'label',
      'a=b,c',
    );
    expect(state.page).toBe(0);
    expect(readState(writeState(state), jobRules)).toEqual(state);
    expect(writeState(toggled(state, 'label', 'a=b,c'))).not.toContain('label');
    expect(readState('page=-1', jobRules).page).toBe(0);
  });
});
