import { describe, expect, it } from 'vitest';
import { clockNames, localText, moves, parseLocal, timeOf, wholeRange } from './range';

const running = { start: 10_000, finish: undefined };
const ended = { start: 10_000, finish: 50_000 };

describe('a time range', () => {
  it('reaches to now while something goes on, and to the end when it has ended', () => {
    expect(wholeRange(running)).toEqual({ from: { kind: 'start' }, to: { kind: 'now' } });
    expect(wholeRange(ended)).toEqual({ from: { kind: 'start' }, to: { kind: 'finish' } });
  });

  it('does not move when it is of something that has ended', () => {
    expect(moves(wholeRange(running), running)).toBe(true);
    expect(moves(wholeRange(ended), ended)).toBe(false);
    expect(moves({ from: { kind: 'ago', minutes: 5 }, to: { kind: 'now' } }, ended)).toBe(true);
    expect(moves({ from: { kind: 'start' }, to: { kind: 'at', time: 3 } }, running)).toBe(false);
  });

  it('leaves to the server what only the server knows', () => {
    expect(timeOf({ kind: 'start' }, { start: undefined, finish: undefined }, 99)).toBeUndefined();
    expect(timeOf({ kind: 'now' }, running, 99)).toBeUndefined();
    expect(timeOf({ kind: 'start' }, running, 99)).toBe(10_000);
    expect(timeOf({ kind: 'finish' }, ended, 99)).toBe(51_000);
    expect(timeOf({ kind: 'ago', minutes: 2 }, running, 500_000)).toBe(380_000);
  });

  it('is read from and written for the field of a local time', () => {
    const time = new Date(2026, 10, 16, 9, 5, 7).getTime();
    expect(localText(time)).toBe('2026-11-16T09:05:07');
    expect(parseLocal('2026-11-16T09:05:07')).toBe(time);
    expect(parseLocal('')).toBeUndefined();
  });
});

describe('names of times on the axis', () => {
  const at = (...parts: [number, number, number, number, number]) =>
    new Date(2026, parts[0] - 1, parts[1], parts[2], parts[3], parts[4]).getTime() / 1000;

  it('tell seconds only where they differ, and the day once', () => {
    expect(clockNames([at(11, 16, 9, 0, 0), at(11, 16, 9, 0, 10)], 10)).toEqual([
      '09:00:00\n2026-11-16',
      '09:00:10',
    ]);
    expect(clockNames([at(11, 16, 23, 30, 0), at(11, 17, 0, 0, 0)], 1800)).toEqual([
      '23:30\n2026-11-16',
      '00:00\n2026-11-17',
    ]);
    expect(clockNames([at(11, 16, 0, 0, 0)], 86_400)).toEqual(['11-16']);
  });
});
