import { expect, it } from 'vitest';
import { readSettings, usual, writeSettings } from './settings';

it('are read back as they were written', () => {
  const settings = {
    axis: 'wall' as const,
    smoothing: 0.25,
    log: true,
    others: ['pytorchjobs.kubeflow.org/a', 'genericjobs.batch.tensorstack.dev/b'],
  };
  expect(readSettings(writeSettings(settings))).toEqual(settings);
  expect(writeSettings(usual)).toBe('');
  expect(readSettings('')).toEqual(usual);
});

it('are as usual where the address says nonsense', () => {
  expect(readSettings('x=sideways&smooth=7&log=yes&with=nothing')).toEqual(usual);
  expect(readSettings('smooth=soft').smoothing).toBe(usual.smoothing);
});
