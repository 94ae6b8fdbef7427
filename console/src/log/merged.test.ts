import { describe, expect, it } from 'vitest';
import { LineBuffer } from './lines';
import { MergedLines } from './merged';
import { LogWindow } from './window';

function linesOf(source: number, ...stamped: [string, string][]) {
  const buffer = new LineBuffer(source);
  for (const [time, text] of stamped) buffer.append(`2026-11-16T10:00:${time}Z ${text}\n`);
  return buffer.take().added;
}

const texts = (merged: MergedLines) => merged.lines.map(({ text }) => text);

describe('MergedLines', () => {
  it('orders by time, whichever log came first', () => {
    const merged = new MergedLines();
    merged.add(linesOf(0, ['01.5', 'a1'], ['03.25', 'a2']));
    merged.add(linesOf(1, ['01.4', 'b1'], ['02', 'b2'], ['04', 'b3']));
    expect(texts(merged)).toEqual(['b1', 'a1', 'b2', 'a2', 'b3']);
    merged.add([...linesOf(0, ['05', 'a3'], ['07', 'a4']), ...linesOf(1, ['06', 'b4'])]);
    expect(texts(merged).slice(-3)).toEqual(['a3', 'b4', 'a4']);
  });

  it('keeps the order of a log although its clock went back, and of one moment', () => {
    const merged = new MergedLines();
    merged.add(linesOf(0, ['05', 'first'], ['04', 'second'], ['05', 'third']));
    merged.add(linesOf(1, ['05', 'other']));
    expect(texts(merged)).toEqual(['first', 'second', 'third', 'other']);
  });

  it('keeps the lines of one moment in order, whichever part of them came first', () => {
    const numbered = (source: number, first: number, many: number) => {
      const buffer = new LineBuffer(source);
      buffer.goOn(first);
      buffer.append('2026-11-16T10:00:05Z x\n'.repeat(many));
      return buffer.take().added;
    };
    const window = new LogWindow(1000);
    for (const source of [window.open(), window.open()]) {
      window.tell(source, { kept: 1, last: 6 });
      window.reset(source, 5);
      window.append(source, numbered(source, 5, 2));
    }
    window.settle();
    expect(window.before() + window.all.lines.length).toBe(12);
    for (const source of [0, 1]) window.prepend(source, numbered(source, 2, 3));
    window.settle();
    const numbers = (of: number) =>
      window.all.lines.flatMap(({ source, number }) => (source === of ? [number] : []));
    expect(numbers(0)).toEqual([2, 3, 4, 5, 6]);
    expect(numbers(1)).toEqual([2, 3, 4, 5, 6]);
    expect(window.before() + window.all.lines.length).toBe(12);
  });

  it('finds a line again after others came before it, and tells when it is gone', () => {
    const merged = new MergedLines(4);
    merged.add(linesOf(0, ['05', 'x'], ['05', 'wanted'], ['05', 'y']));
    const wanted = merged.lines[1];
    if (!wanted) throw new Error('it is not there');
    merged.add(linesOf(1, ['01', 'b']));
    expect(merged.indexOf(wanted)).toBe(2);
    merged.add(linesOf(0, ['06', '1'], ['07', '2'], ['08', '3'], ['09', '4']));
    expect(merged.indexOf(wanted)).toBe(-1);
    expect(merged.dropped).toBe(4);
  });

  it('forgets one log only', () => {
    const merged = new MergedLines();
    merged.add(linesOf(0, ['01', 'a']));
    merged.add(linesOf(1, ['02', 'b']));
    merged.remove(0);
    expect(texts(merged)).toEqual(['b']);
  });

  it('merges eight logs that came one after the other', () => {
    const merged = new MergedLines();
    const logs = Array.from({ length: 8 }, (_, source) => {
      const buffer = new LineBuffer(source);
      let text = '';
      for (let i = 0; i < 5000; i++) {
        const micro = String(i * 8 + source).padStart(6, '0');
        text += `2026-11-16T10:00:01.${micro}Z step ${i}\n`;
      }
      buffer.append(text);
      return buffer.take().added;
    });
    for (const log of logs) merged.add(log);
    expect(merged.lines).toHaveLength(40_000);
    expect(merged.lines.slice(0, 9).map(({ source }) => source)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 0,
    ]);
  });
});
