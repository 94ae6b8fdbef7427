import { describe, expect, it } from 'vitest';
import { indexed, onlyColours, parseColours, plain, withoutColours } from './ansi';

const esc = '\x1b[';

describe('colours', () => {
  it('are read from the 16, the 256 and all', () => {
    expect(parseColours(`a${esc}31mb${esc}0mc`).runs).toEqual([
      { text: 'a', style: {} },
      { text: 'b', style: { fg: 1 } },
      { text: 'c', style: {} },
    ]);
    expect(parseColours(`${esc}38;5;208;1mx`).runs).toEqual([
      { text: 'x', style: { fg: '#ff8700', bold: true } },
    ]);
    expect(parseColours(`${esc}48;2;1;2;255mx`).runs[0]?.style).toEqual({ bg: '#0102ff' });
    expect(parseColours(`${esc}38:2:1:2:3mx`).runs[0]?.style).toEqual({ fg: '#010203' });
    expect(parseColours(`${esc}97;104mx`).runs[0]?.style).toEqual({ fg: 15, bg: 12 });
  });

  it('of the 256 are those of every terminal', () => {
    expect([indexed(9), indexed(16), indexed(231), indexed(232), indexed(255)]).toEqual([
      9,
      '#000000',
      '#ffffff',
      '#080808',
      '#eeeeee',
    ]);
  });

  it('go on in the next line until they are taken back', () => {
    const first = parseColours(`${esc}1;32mok`);
    expect(first.end).toEqual({ bold: true, fg: 2 });
    const second = parseColours(`still${esc}22;39m`, first.end);
    expect(second.runs).toEqual([{ text: 'still', style: { bold: true, fg: 2 } }]);
    expect(second.end).toBe(plain);
  });

  it('that are half or nonsense break nothing', () => {
    for (const code of ['38', '38;5', '38;2;1', '48;9;1', '999', ';;;', '4:3']) {
      expect(parseColours(`${esc}${code}mx`).runs.map(({ text }) => text)).toEqual(['x']);
    }
    expect(parseColours(`${esc}4:3mx`).runs[0]?.style).toEqual({ underline: true });
  });
});

describe('other codes', () => {
  it('go, colours stay', () => {
    const link = '\x1b]8;;http://evil/\x07click\x1b]8;;\x07';
    expect(onlyColours(`${esc}2J${esc}H${esc}31mred${esc}0m ${link}\x1b]0;title\x07`)).toBe(
      `${esc}31mred${esc}0m click`,
    );
    expect(withoutColours(`${esc}1;31mError${esc}0m`)).toBe('Error');
  });
});
