import { expect, test } from 'vitest';
import {
  crumbsOf,
  encodeName,
  type FileEntry,
  fileSize,
  inert,
  nameProblem,
  ordered,
  pathInQuery,
  shownName,
  textOf,
  unreadable,
} from './files';

const entry = (name: string, more: Partial<FileEntry> = {}): FileEntry => ({
  name,
  encoded: encodeName(name),
  type: 'file',
  modified: '2026-01-01T00:00:00Z',
  mode: '0644',
  owner: '0:0',
  tag: 't',
  ...more,
});

test('names are encoded as the server does, and shown as text', () => {
  expect(encodeName("a b(1)'*!.txt")).toBe('a%20b%281%29%27%2A%21.txt');
  expect(encodeName('数据')).toBe('%E6%95%B0%E6%8D%AE');
  expect(shownName('%E6%95%B0%20x')).toBe('数 x');
  expect(shownName('a%FF')).toBe('a\ufffd');
  expect(shownName('100%')).toBe('100%');
});

test('names that deceive are shown inert', () => {
  expect(inert('\u202egpj.exe')).toBe('\ufffdgpj.exe');
  expect(inert('a\nb\u200bc')).toBe('a\ufffdb\ufffdc');
  expect(inert('数据 ok.txt')).toBe('数据 ok.txt');
});

test('a path has a crumb for each folder on the way', () => {
  expect(crumbsOf('data', 'a/b%20c')).toEqual([
    { text: 'data', path: '' },
    { text: 'a', path: 'a' },
    { text: 'b c', path: 'a/b%20c' },
  ]);
});

test('only what can be a path is read of an address', () => {
  expect(pathInQuery('path=a/b%FF&x=1')).toBe('a/b%FF');
  expect(pathInQuery('x=1&path=a')).toBe('a');
  expect(pathInQuery('path=a//b')).toBe('a/b');
  expect(pathInQuery('path=a%zz/<b>')).toBe('');
  expect(pathInQuery('')).toBe('');
});

test('a name is one part of a path', () => {
  expect(nameProblem('')).toBe('missing');
  expect(nameProblem('a/b')).toBe('slash');
  expect(nameProblem('..')).toBe('dots');
  expect(nameProblem('数'.repeat(86))).toBe('long');
  expect(nameProblem('数'.repeat(85))).toBeUndefined();
});

test('folders come first, in any order', () => {
  const files = [
    entry('b', { bytes: 1 }),
    entry('a', { bytes: 2 }),
    entry('z', { type: 'folder' }),
    entry('c', { bytes: 1 }),
  ];
  const names = (
    ...order: Parameters<typeof ordered> extends [unknown, ...infer Rest] ? Rest : never
  ) => ordered(files, ...order).map(({ name }) => name);
  expect(names('name', false)).toEqual(['z', 'a', 'b', 'c']);
  expect(names('name', true)).toEqual(['z', 'c', 'b', 'a']);
  expect(names('bytes', true)).toEqual(['z', 'a', 'b', 'c']);
});

test('sizes are told in the largest unit that fits', () => {
  expect([0, 56, 1023, 1024, 5_000_000].map(fileSize)).toEqual([
    '0 B',
    '56 B',
    '1023 B',
    '1.00 KiB',
    '4.77 MiB',
  ]);
});

test('what opens as text is known by name and size', () => {
  const opens = ['train.py', 'README', 'metrics.csv', 'a.json', 'events.txt', 'gz', 'logo.svg'];
  expect(opens.filter((name) => unreadable(entry(name, { bytes: 5 })))).toEqual([]);
  const closed = [
    'model.pt',
    'A.PNG',
    'x.tar.gz',
    'events.out.tfevents.17.host.0',
    'w.safetensors',
  ];
  expect(closed.map((name) => unreadable(entry(name)))).toEqual(closed.map(() => 'binary'));
  expect(unreadable(entry('log.txt', { bytes: 1 << 20 }))).toBeUndefined();
  expect(unreadable(entry('log.txt', { bytes: (1 << 20) + 1 }))).toBe('large');
});

test('only texts are edited', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  expect(textOf(bytes('a: ö\r\n'))).toBe('a: ö\r\n');
  expect(textOf(bytes('\ufeffx'))).toBe('\ufeffx');
  expect(textOf(new Uint8Array([0xff, 0xfe]))).toBeUndefined();
  expect(textOf(bytes('a\0b'))).toBeUndefined();
});
