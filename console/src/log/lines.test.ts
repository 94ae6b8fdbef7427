import { describe, expect, it } from 'vitest';
import { lineText, parseLine } from './line_place';
import { LineBuffer } from './lines';

function taken(...parts: string[]) {
  const buffer = new LineBuffer(3);
  for (const part of parts) buffer.append(part);
  const { added, unfinished } = buffer.take();
  return { added: added.map(({ text }) => text), unfinished: unfinished?.text };
}

const time = '2026-11-16T01:02:03.123456789';

describe('the address of a line', () => {
  it('is read as it is written, and nothing else is one', () => {
    const place = { tag: 'worker-0', time, number: 4 };
    expect(parseLine(lineText(place))).toEqual(place);
    for (const text of ['', 'worker-0', 'worker-0@', `@${time}~1`, `worker-0@${time}`]) {
      expect(parseLine(text)).toBeUndefined();
    }
  });
});

describe('LineBuffer', () => {
  it('joins lines that arrive in pieces', () => {
    expect(taken('ep', 'och 1\nepo', 'ch 2\nep')).toEqual({
      added: ['epoch 1', 'epoch 2'],
      unfinished: 'ep',
    });
  });

  it('takes the time from the front, also of a line in two pieces', () => {
    const buffer = new LineBuffer(3);
    buffer.append(`${time}Z on`);
    buffer.append('e\nnone\n');
    expect(buffer.take().added).toMatchObject([
      { time, text: 'one', source: 3 },
      { time, text: 'none' },
    ]);
  });

  it('keeps the unfinished line across a take', () => {
    const buffer = new LineBuffer(0);
    buffer.append(`${time}Z loss: 0.`);
    expect(buffer.take().unfinished).toMatchObject({ time, text: 'loss: 0.' });
    buffer.append('25\n');
    expect(buffer.take()).toMatchObject({ added: [{ text: 'loss: 0.25' }], unfinished: undefined });
  });

  it('lets a carriage return overwrite the line, also across pieces, and keeps its time', () => {
    expect(taken('10%\r20%\r', '30%\r').unfinished).toBe('30%');
    expect(taken('10%\r', '\ndone\r\n').added).toEqual(['10%', 'done']);
    expect(taken(`${time}Z 10%\r20%`, '\r30%\n').added).toEqual(['30%']);
    expect(taken('1/3\b\b\b2/3\n').added).toEqual(['2/3']);
  });

  it('keeps colours, which go on in the next line, and drops other codes', () => {
    const buffer = new LineBuffer(0);
    buffer.append('\x1b[2K\x1b[1;3');
    buffer.append('1mError\nmore\x1b[0m\nplain\n');
    expect(buffer.take().added).toMatchObject([
      { text: '\x1b[1;31mError', style: {} },
      { text: 'more\x1b[0m', style: { bold: true, fg: 1 } },
      { text: 'plain', style: {} },
    ]);
  });

  it('makes blanks of tabs', () => {
    expect(taken('a\tb\tc\n').added).toEqual(['a       b       c']);
  });

  it('keeps about as many lines as it is told to, the last', () => {
    const buffer = new LineBuffer(0, 100);
    buffer.append(Array.from({ length: 1007 }, (_, i) => `${i}\n`).join(''));
    const { added } = buffer.take();
    expect(added).toHaveLength(100);
    expect(added.at(-1)?.text).toBe('1006');
  });

  it('cuts a line without end', () => {
    const { added, unfinished } = taken('x'.repeat(25_000));
    expect(added.map((line) => line.length)).toEqual([10_000, 10_000]);
    expect(unfinished).toHaveLength(5000);
  });

  it('numbers lines from the one on that it is told, and pieces of one alike', () => {
    const buffer = new LineBuffer(0);
    buffer.clear(812_001);
    buffer.append(`one\n${'x'.repeat(25_000)}`);
    buffer.append('\nthree\nbegun');
    const { added, unfinished } = buffer.take();
    expect(added.map(({ number, goesOn }) => [number, goesOn])).toEqual([
      [812_001, false],
      [812_002, false],
      [812_002, true],
      [812_002, true],
      [812_003, false],
    ]);
    expect([unfinished?.number, buffer.next]).toEqual([812_004, 812_004]);
    buffer.goOn(812_004);
    buffer.append('begun and ended\n');
    expect(buffer.take().added).toMatchObject([{ text: 'begun and ended', number: 812_004 }]);
  });

  it('says when it was cleared', () => {
    const buffer = new LineBuffer(0);
    buffer.append('old\nold');
    buffer.clear();
    buffer.append('new\n');
    expect(buffer.take()).toMatchObject({ cleared: true, added: [{ text: 'new' }] });
    expect(buffer.take().cleared).toBe(false);
  });
});
