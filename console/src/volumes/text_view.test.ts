import { expect, test } from 'vitest';
import { lineEnd } from './text_view';

test('ends of lines are kept: only a text in which all are the same may change them together', () => {
  expect(lineEnd('a\nb\n')).toBe('\n');
  expect(lineEnd('a\r\nb\r\n')).toBe('\r\n');
  expect(lineEnd('a\r\nb\n')).toBe('\n');
  expect(lineEnd('a\rb\r\n')).toBe('\n');
  expect(lineEnd('')).toBe('\n');
});
