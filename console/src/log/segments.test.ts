import { describe, expect, it } from 'vitest';
import { plain } from './ansi';
import type { Line } from './lines';
import { columnsOf, cut, markedSegments, readable, rowsOf } from './segments';

const line = (text: string): Line => ({
  time: '',
  number: 0,
  goesOn: false,
  text,
  source: 0,
  style: plain,
  columns: 0,
  narrow: false,
});
const texts = (segments: { text: string }[]) => segments.map(({ text }) => text);

describe('a line on the screen', () => {
  it('spells out what would hide or turn letters', () => {
    expect(readable(line('user\u202etxt.exe\u202c'))).toBe('user<U+202E>txt.exe<U+202C>');
    expect(readable(line('a\u0000b\u200bc\x07\x9b1m'))).toBe('a␀b<U+200B>c␇<U+009B>1m');
    expect(readable(line('\u{e0041}x'))).toBe('<U+E0041>x');
    expect(readable(line('中文 é 👩‍💻'))).toBe('中文 é 👩‍💻');
  });

  it('keeps markup as letters', () => {
    expect(texts(markedSegments(line('<script>alert(1)</script>'), undefined))).toEqual([
      '<script>alert(1)</script>',
    ]);
  });

  it('marks what was found, across colours', () => {
    const found = markedSegments(line('los\x1b[31ms: 0.5\x1b[0m loss'), /loss/g);
    expect(found.map(({ text, hit }) => [text, hit])).toEqual([
      ['los', true],
      ['s', true],
      [': 0.5', false],
      [' ', false],
      ['loss', true],
    ]);
    expect(markedSegments(line('abc'), /x*/g)).toHaveLength(1);
  });

  it('is as wide as a terminal would draw it', () => {
    expect(columnsOf(line('epoch'))).toBe(5);
    expect(columnsOf(line('\x1b[31m训练\x1b[0m'))).toBe(4);
    expect(columnsOf(line('e\u0301'))).toBe(1);
    expect(columnsOf(line(''))).toBe(1);
  });

  it('is cut into rows, which no wide letter breaks', () => {
    const rows = cut(markedSegments(line('ab\x1b[31mcd训练'), undefined), 3);
    expect(rows.map((row) => texts(row))).toEqual([['ab', 'c'], ['d训'], ['练']]);
    for (const text of [
      '',
      'x'.repeat(300),
      `训${'练'.repeat(50)}`,
      '\x1b[1mx\x1b[0m'.repeat(40),
    ]) {
      const all = line(text);
      expect(rowsOf(all, 7)).toBe(cut(markedSegments(all, undefined), 7).length);
    }
  });
});
