import { expect, it } from 'vitest';
import { linesAround, stampOf } from './moment_lines';

it('are those of the seconds around, of all logs, in the order of their times', () => {
  const log = (rank: number, ...seconds: number[]) =>
    seconds.map((second) => `${stampOf(second)}Z rank ${rank} at ${second}\n`).join('');
  const lines = linesAround([log(0, 90, 96, 100, 105), log(1, 99.5, 104.25, 106), ''], 100);
  expect(lines.map(({ text }) => text)).toEqual([
    'rank 0 at 96',
    'rank 1 at 99.5',
    'rank 0 at 100',
    'rank 1 at 104.25',
    'rank 0 at 105',
  ]);
  expect(lines.map(({ source }) => source)).toEqual([0, 1, 0, 1, 0]);
  expect(linesAround([], 100)).toEqual([]);
});
