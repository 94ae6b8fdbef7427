import { describe, expect, it } from 'vitest';
import { namesBeside, partsOf, wholeOf } from './beside';

const job = 'apiVersion: b/v1\nkind: GenericJob\nmetadata:\n  name: a\n';
const map =
  'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a-script\ndata:\n  x: |\n    ---\n';

describe('what a job brings along', () => {
  it('is parted from it in any order, and put behind it', () => {
    const whole = `${job}---\n${map}`;
    expect(partsOf(whole)).toEqual({ text: job, beside: map });
    expect(partsOf(`---\n${map}---\n${job}`)).toEqual({ text: job, beside: map });
    expect(wholeOf({ text: job, beside: map }, '')).toBe(whole);
    expect(namesBeside(map)).toEqual(['ConfigMap a-script']);
  });

  it('goes to the project of the job', () => {
    const whole = wholeOf({ text: job, beside: map }, 'vision');
    expect(whole).toContain('  name: a-script\n  namespace: vision\n');
  });

  it('is nothing where there are no others, or several that could be meant', () => {
    expect(partsOf(job)).toEqual({ text: job, beside: '' });
    expect(partsOf(map)).toEqual({ text: map, beside: '' });
    const two = `${job}---\n${job}---\n${map}`;
    expect(partsOf(two)).toEqual({ text: two, beside: '' });
    expect(wholeOf({ text: job, beside: '' }, 'vision')).toBe(job);
  });
});
