import { expect, test } from 'vitest';
import {
  configMapData,
  dockerConfig,
  entriesOfConfigMap,
  entriesOfSecret,
  hidden,
  keyProblem,
  registryOf,
  secretData,
  sizeOfEntry,
} from './entries';

test('texts go in and out of a Secret, and bytes stay as they are', () => {
  const data = { text: 'w7Y=', bytes: '/w==', zero: 'AA==' };
  const entries = entriesOfSecret({ metadata: { name: 's' }, data });
  expect(entries).toEqual([
    { key: 'bytes', text: '', binary: '/w==' },
    { key: 'text', text: 'ö' },
    { key: 'zero', text: '', binary: 'AA==' },
  ]);
  expect(secretData(entries)).toEqual(data);
  expect(entries.map(sizeOfEntry)).toEqual([1, 2, 1]);
});

test('a ConfigMap has its texts and its bytes apart', () => {
  const object = { metadata: { name: 'c' }, data: { b: 'x\n' }, binaryData: { a: '/w==' } };
  const entries = entriesOfConfigMap(object);
  expect(entries.map(({ key }) => key)).toEqual(['a', 'b']);
  expect(configMapData(entries)).toEqual({ data: { b: 'x\n' }, binaryData: { a: '/w==' } });
  expect(configMapData([])).toEqual({});
});

test('keys are what the API takes, each once', () => {
  const entries = ['a', '', 'a b', 'a', '..'].map((key) => ({ key, text: '' }));
  expect(entries.map((_, index) => keyProblem(entries, index))).toEqual([
    undefined,
    'missing',
    'letters',
    'twice',
    'letters',
  ]);
});

test('a registry becomes a text and a text a registry', () => {
  const registry = { server: 'registry.example', user: 'me', password: 'p"ö', email: '' };
  expect(registryOf(dockerConfig(registry))).toEqual(registry);
  expect(registryOf('{"auths":{"a":{},"b":{}}}')).toBeUndefined();
  expect(registryOf('nonsense')).toBeUndefined();
});

test('a hidden Secret tells its keys only', () => {
  expect(hidden({ metadata: { name: 's' }, data: { a: 'x' } }, '…').data).toEqual({ a: '…' });
});
