import { expect, it } from 'vitest';
import { readSettings, settled, usual, writeSettings } from './settings';

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

it('smooth long curves, and short ones when somebody asks for it', () => {
  expect(settled(usual, 12).smoothing).toBe(0);
  expect(settled(usual, 500).smoothing).toBe(0.6);
  expect(settled({ ...usual, smoothing: 0.3 }, 12).smoothing).toBe(0.3);
  expect(settled({ ...usual, smoothing: 0 }, 500).smoothing).toBe(0);
});
