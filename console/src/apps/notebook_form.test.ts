import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { edited } from '../create/document';
import { withoutHold } from './app';
import { mapOf, readImageMaps } from './image_maps';
import {
  applyTemplate,
  missingOfNotebook,
  mountsOfNotebook,
  startOfNotebook,
  templateOf,
  templates,
} from './notebook_form';

const start = parse(stringify(startOfNotebook)) as Record<string, unknown>;

describe('the form of a notebook', () => {
  it('begins with a small one, which needs a name and a volume', () => {
    expect(templateOf(start)?.name).toBe('small');
    expect(missingOfNotebook(start)).toEqual([
      'metadata.name',
      'spec.template.spec.volumes[0].persistentVolumeClaim.claimName',
    ]);
  });

  it('knows its template by its amounts', () => {
    const [, , large] = templates;
    if (!large) throw new Error('there is no large one');
    const text = edited(stringify(startOfNotebook), (document) =>
      applyTemplate(document, start, large),
    );
    const value = parse(text) as Record<string, unknown>;
    expect(templateOf(value)?.name).toBe('large');
    const other = parse(text.replace('cpu: "16"', 'cpu: "15"')) as Record<string, unknown>;
    expect(templateOf(other)).toBeUndefined();
  });

  it('tells the home folder from the data beside it', () => {
    const claim = (name: string) => ({ name, persistentVolumeClaim: { claimName: name } });
    const value = (mounts: object[]) => ({
      spec: {
        template: {
          spec: {
            containers: [{ name: 'helper' }, { name: 'notebook', volumeMounts: mounts }],
            volumes: [claim('data'), claim('home'), { name: 'shm', emptyDir: {} }],
          },
        },
      },
    });
    const both = mountsOfNotebook(
      value([
        { name: 'data', mountPath: '/data' },
        { name: 'shm', mountPath: '/dev/shm' },
        { name: 'home', mountPath: '/t9k/mnt' },
      ]),
    );
    expect(both.home?.object).toBe('home');
    expect(both.data.map(({ object }) => object)).toEqual(['data']);
    expect(mountsOfNotebook(value([])).home).toBeUndefined();
  });

  it('does not copy that another one is held', () => {
    expect(withoutHold({ suspend: true, type: 'jupyter' })).toEqual({ type: 'jupyter' });
  });
});

describe('what images mean', () => {
  const maps = readImageMaps({
    'maps.json': JSON.stringify([
      { pattern: '*jupyter*', kind: 'venv', folder: '/env/old' },
      { pattern: '*jupyter*', kind: 'venv', folder: '/env/new' },
      { pattern: 'host.example:5000/torch', kind: 'host', folder: '' },
      { pattern: 7 },
      null,
    ]),
  });

  it('is what the last map says that matches', () => {
    expect(mapOf('example/jupyter:1', maps)?.folder).toBe('/env/new');
    expect(mapOf('host.example:5000/torch:2.1', maps)?.kind).toBe('host');
    expect(mapOf('hostXexample:5000/torch', maps)).toBeUndefined();
    expect(mapOf('python:3.11', maps)).toBeUndefined();
  });

  it('is nothing where nothing can be read', () => {
    expect(readImageMaps(undefined)).toEqual([]);
    expect(readImageMaps({ 'maps.json': '{' })).toEqual([]);
    expect(readImageMaps({ 'maps.json': '{}' })).toEqual([]);
  });
});
