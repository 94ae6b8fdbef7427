import { describe, expect, it } from 'vitest';
import { type KubeEvent, lastSeen, timeKey } from './event';

function event(resourceVersion: string, lastTimestamp: string): KubeEvent {
  return { metadata: { name: `e${resourceVersion}`, resourceVersion }, lastTimestamp };
}

describe('timeKey', () => {
  it('orders by time, and within a second by what the server wrote first', () => {
    const later = '2026-11-16T00:00:01Z';
    const events = [
      event('2', later),
      event('100', '2026-11-16T00:00:00Z'),
      event('11', later),
      event('9', later),
    ];
    const key = (each: KubeEvent) => timeKey(lastSeen(each), each);
    const inOrder = events.sort((a, b) => (key(a) < key(b) ? -1 : 1));
    expect(inOrder.map(({ metadata }) => metadata.resourceVersion)).toEqual([
      '100',
      '2',
      '9',
      '11',
    ]);
  });
});
