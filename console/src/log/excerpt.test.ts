import { describe, expect, it } from 'vitest';
import { excerptLines, excerptOf } from './excerpt';

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`);

describe('the excerpt of a log', () => {
  const banner = Array.from({ length: 40 }, () => '======== torchrun has much to say ========');

  it('has the line that tells in its middle, and not what the launcher says at the end', () => {
    const log = [...numbered(1, 50), "\x1b[31m[rank2]: KeyError: 'lr'\x1b[0m", ...banner].join(
      '\n',
    );
    const { lines, telling } = excerptOf(`${log}\n`, "KeyError: 'lr'");
    expect(lines).toHaveLength(excerptLines);
    expect(lines[telling ?? -1]).toContain("KeyError: 'lr'");
    expect(lines[0]).toBe('line 39');
    expect(lines.at(-1)).toBe(banner[0]);
  });

  it('has the last of several', () => {
    const { lines, telling } = excerptOf('a: b\nx\na: b\ny\n', 'a: b');
    expect([lines, telling]).toEqual([['a: b', 'x', 'a: b', 'y'], 2]);
  });

  it('is as long where the line is the first or the last', () => {
    const log = numbered(1, 100).join('\n');
    expect(excerptOf(log, 'line 100').lines).toEqual(numbered(81, 100));
    const early = excerptOf(`only this\n${log}`, 'only this');
    expect([early.telling, early.lines.length]).toEqual([0, excerptLines]);
  });

  it('finds a line that was cut off', () => {
    expect(excerptOf(`${'x'.repeat(300)}\n`, `${'x'.repeat(240)}…`).telling).toBe(0);
  });

  it('is the end of the log where nothing tells', () => {
    const log = `${numbered(1, 100).join('\n')}\n`;
    expect(excerptOf(log, undefined)).toEqual({ lines: numbered(81, 100), telling: undefined });
    expect(excerptOf(log, 'elsewhere').lines).toEqual(numbered(81, 100));
    expect(excerptOf('', undefined).lines).toEqual([]);
  });
});
