import { describe, expect, it } from 'vitest';
import { amount, increments, top } from './units';

describe('amount', () => {
  it.each([
    [0, 'bytes', '0 B'],
    [1536, 'bytes', '1.5 KiB'],
    [8 * 2 ** 30, 'bytes', '8 GiB'],
    [312.4 * 1024, 'bytesPerSecond', '312 KiB/s'],
    [999, 'bytesPerSecond', '999 B/s'],
    [0.25, 'cores', '0.25'],
    [1.997, 'cores', '2'],
    [16, 'cores', '16'],
    [100, 'cores', '100'],
    [12_500, 'perSecond', '12.5 k/s'],
    [40, 'perSecond', '40/s'],
    [87, 'percent', '87 %'],
    [1475, 'megahertz', '1475 MHz'],
    [2, 'count', '2'],
  ] as const)('%d of %s is %s', (value, unit, text) => {
    expect(amount(value, unit)).toBe(text);
  });

  it('is a dash where nothing is known', () => {
    expect(amount(null, 'bytes')).toBe('-');
    expect(amount(undefined, 'cores')).toBe('-');
  });
});

describe('the axis', () => {
  it('has marks at powers of two for bytes, and whole ones for what is counted', () => {
    expect(increments('bytes')).toContain(2 ** 30);
    expect(increments('bytes')).not.toContain(1000);
    expect(Math.min(...increments('count'))).toBe(1);
    expect(Math.min(...increments('cores'))).toBeLessThan(0.01);
  });

  it('leaves room above the greatest value, and is never flat', () => {
    expect(top(32, 'cores')).toBe(40);
    expect(top(0, 'cores')).toBe(1);
    expect(top(12, 'percent')).toBe(100);
  });
});
