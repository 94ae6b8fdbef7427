import { describe, expect, it } from 'vitest';
import { LineBuffer, maxLines } from './lines';

function linesOf(...pieces: string[]) {
  const buffer = new LineBuffer();
  for (const piece of pieces) buffer.append(piece);
  return buffer.take();
}

describe('LineBuffer', () => {
  it('joins lines that arrive in pieces', () => {
    expect(linesOf('ep', 'och 1\nepo', 'ch 2\nep')).toEqual({
      cleared: false,
      added: ['epoch 1', 'epoch 2'],
      unfinished: 'ep',
    });
  });

  it('keeps the unfinished line across a take', () => {
    const buffer = new LineBuffer();
    buffer.append('loss: 0.');
    expect(buffer.take().unfinished).toBe('loss: 0.');
    buffer.append('25\n');
    expect(buffer.take()).toEqual({ cleared: false, added: ['loss: 0.25'], unfinished: '' });
  });

  it('lets a carriage return overwrite the line, also across pieces', () => {
    expect(linesOf('10%\r20%\r', '30%\r').unfinished).toBe('30%');
    expect(linesOf('10%\r', '\ndone\r\n').added).toEqual(['10%', 'done']);
  });

  it('removes colour codes, also those that arrive in two pieces', () => {
    expect(linesOf('\x1b[1;3', '1mError\x1b[0m\n').added).toEqual(['Error']);
  });

  it('keeps the last lines only', () => {
    const { added } = linesOf(Array.from({ length: maxLines + 7 }, (_, i) => `${i}\n`).join(''));
    expect(added).toHaveLength(maxLines);
    expect(added[0]).toBe('7');
  });

  it('cuts a line without end', () => {
    const { added, unfinished } = linesOf('x'.repeat(25_000));
    expect(added.map((line) => line.length)).toEqual([10_000, 10_000]);
    expect(unfinished).toHaveLength(5000);
  });

  it('says when it was cleared', () => {
    const buffer = new LineBuffer();
    buffer.append('old\nold');
    buffer.clear();
    buffer.append('new\n');
    expect(buffer.take()).toEqual({ cleared: true, added: ['new'], unfinished: '' });
    expect(buffer.take().cleared).toBe(false);
  });
});
