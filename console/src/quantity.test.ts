import { describe, expect, it } from 'vitest';
import {
  addContainers,
  bytes,
  cores,
  isExtended,
  parseQuantity,
  requestAndLimit,
} from './quantity';

describe('quantities', () => {
  it.each([
    ['16', 16],
    ['100m', 0.1],
    ['1.5', 1.5],
    [2, 2],
    ['8Gi', 8 * 2 ** 30],
    ['1e3', 1000],
    ['1k', 1000],
    [undefined, undefined],
    ['much', undefined],
    ['1Qi', undefined],
    ['', undefined],
  ])('reads %s', (text, value) => {
    expect(parseQuantity(text)).toBe(value);
  });

  it('are written with two decimals and the unit that fits', () => {
    expect([16, 0.1, 1.5, 0].map(cores)).toEqual(['16.00', '100.00m', '1.50', '0.00']);
    expect([8 * 2 ** 30, 100 * 2 ** 20, 1023, 2 ** 40].map(bytes)).toEqual([
      '8.00Gi',
      '100.00Mi',
      '1023.00',
      '1.00Ti',
    ]);
    expect(requestAndLimit({ request: 0.1, limit: 0.2 }, cores)).toBe('100.00m / 200.00m');
    expect(requestAndLimit({ request: 1, limit: undefined }, cores)).toBe('1.00 / -');
    expect(requestAndLimit({ request: undefined, limit: undefined }, cores)).toBe('-');
  });

  it('are summed over containers and replicas, a limit standing for a missing request', () => {
    const sum = new Map();
    addContainers(
      sum,
      [
        { resources: { limits: { cpu: '8', 'nvidia.com/gpu': 2 }, requests: { cpu: '4' } } },
        { resources: { limits: { memory: '1Gi' } } },
        {},
      ],
      2,
    );
    addContainers(sum, [{ resources: { requests: { cpu: '500m' } } }], 1);
    expect(sum.get('cpu')).toEqual({ request: 8.5, limit: 16 });
    expect(sum.get('memory')).toEqual({ request: 2 ** 31, limit: 2 ** 31 });
    expect(sum.get('nvidia.com/gpu')).toEqual({ request: 4, limit: 4 });
  });

  it('tell extended resources from what every machine has', () => {
    expect(['cpu', 'memory', 'ephemeral-storage', 'nvidia.com/gpu'].filter(isExtended)).toEqual([
      'nvidia.com/gpu',
    ]);
  });
});
