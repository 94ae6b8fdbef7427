import { describe, expect, it } from 'vitest';
import { positionText, progressByJob, progressPath, rateText, valuesText } from './progress';

describe('progress', () => {
  it('is asked for and found by the jobs’ uids', () => {
    expect(progressPath('team', ['a', 'b'])).toBe(
      '/api/v1/namespaces/team/pods?progress=true&labelSelector=replica-index%3D0&job=a&job=b',
    );
    expect(progressPath('', [])).toContain('/api/v1/pods?');
    const progress = { step: { at: 3, of: 9 }, share: 0.3, rate: 1 };
    expect(progressByJob({ items: [{ owner: 'a', progress }] }).get('a')).toBe(progress);
  });

  it('is told in words that fit into a table', () => {
    const progress = {
      epoch: { at: 2, of: 5 },
      step: { at: 100 },
      unit: 'batch',
      rate: 0.0123,
      rateUnit: 'batch',
      values: { loss: 0.123456, lr: 1e-5, acc: 0.9 },
    };
    expect(positionText(progress)).toBe('epoch 2/5, batch 100');
    expect(rateText(progress)).toBe('0.738 batches/min');
    expect(rateText({ rate: 12.345 })).toBe('12.3 steps/s');
    expect(rateText({ rate: 0.0001 })).toBe('0.36 steps/h');
    expect(rateText({ rate: 2, rateUnit: 'it' })).toBe('2 it/s');
    expect(rateText({ rate: 2, rateUnit: 'epoch' })).toBe('2 epochs/s');
    expect(rateText({})).toBe('');
    expect(valuesText(progress, 2)).toBe('loss 0.1235, lr 0.00001');
  });
});
