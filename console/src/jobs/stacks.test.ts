import { describe, expect, it } from 'vitest';
import { type ProcessStack, stackGroups, stackLines } from './stacks';

const together = [
  { file: '/lib/c10d.py', line: 15, function: 'all_reduce' },
  { file: '/work/train.py', line: 8, function: 'main' },
];

function rank(number: number, waits: string, frames?: typeof together): ProcessStack {
  return {
    container: 'pytorch',
    rank: number,
    waits,
    threads: frames ? [{ frames: [] }, { main: true, frames }] : [],
    ...(!frames && { noPython: 'it is stopped' }),
  };
}

describe('stacks', () => {
  it('puts those together that are in one place, the odd one out last', () => {
    const groups = stackGroups([
      { pod: 'a', processes: [rank(0, 'is stopped (SIGSTOP)')] },
      { pod: 'b', processes: [rank(1, 'waits in recv', together)] },
      { pod: 'c', processes: [rank(2, 'waits in poll', together)] },
      { pod: 'd', processes: [], error: 'gone' },
    ]);
    expect(groups.map(({ names }) => names)).toEqual([
      ['rank 1 (b)', 'rank 2 (c)'],
      ['rank 0 (a)'],
    ]);
    expect(groups[0]?.waits).toEqual(['waits in recv', 'waits in poll']);
    expect(groups.map(stackLines)).toEqual([
      '/lib/c10d.py:15 in all_reduce\n/work/train.py:8 in main',
      'it is stopped',
    ]);
  });

  it('names containers of pods that have no ranks', () => {
    const side = { container: 'side', waits: 'sleeps' };
    const main = { container: 'main', waits: 'sleeps' };
    const [group] = stackGroups([{ pod: 'a', processes: [main, side] }]);
    expect(group?.names).toEqual(['a/main', 'a/side']);
    expect(stackGroups([])).toEqual([]);
  });
});
