import { describe, expect, it } from 'vitest';
import { checkManifest } from './check';
import { helpAt, suggest } from './complete';
import { blockIndent, placeOf } from './cursor_path';
import { fieldPathText, parseFieldPath } from './field_path';
import { readManifests } from './manifest';
import { kindSchema, type Schemas, schemaAt } from './schema';
import { editorWordsEn as t } from './words';

const pods = '#/components/schemas/PodTemplateSpec';
const schemas: Schemas = {
  'dev.Job': {
    type: 'object',
    required: ['spec'],
    'x-kubernetes-group-version-kind': [{ group: 'g.dev', version: 'v1', kind: 'Job' }],
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object', properties: { name: { type: 'string' } } },
      spec: {
        type: 'object',
        required: ['replicaSpecs'],
        properties: {
          clean: { type: 'string', enum: ['None', 'All'], default: 'None', description: 'Which.' },
          paused: { type: 'boolean' },
          replicaSpecs: {
            type: 'array',
            items: {
              type: 'object',
              required: ['type'],
              properties: {
                type: { type: 'string' },
                replicas: { type: 'integer', minimum: 0, maximum: 9 },
                template: { description: 'The pods.', allOf: [{ $ref: pods }] },
              },
            },
          },
        },
      },
    },
  },
  PodTemplateSpec: {
    type: 'object',
    properties: {
      args: { type: 'array', items: { type: 'string' } },
      limits: { type: 'object', additionalProperties: { $ref: '#/components/schemas/Quantity' } },
    },
  },
  Quantity: { 'x-kubernetes-int-or-string': true },
};

function job() {
  const found = kindSchema(schemas, 'g.dev/v1', 'Job');
  if (!found) throw new Error('there is a Job');
  return found;
}

function check(text: string): string[] {
  const { manifests, problems } = readManifests(text, t);
  const said = manifests.flatMap((manifest) => checkManifest(text, manifest, job(), t));
  return [...problems, ...said].map(({ line, message }) => `${line}: ${message}`);
}

const head = 'apiVersion: g.dev/v1\nkind: Job\n';

describe('the path of a field', () => {
  it('is read as the server writes it', () => {
    expect(parseFieldPath('spec.replicaSpecs[0].template')).toEqual([
      'spec',
      'replicaSpecs',
      0,
      'template',
    ]);
    expect(parseFieldPath('metadata.labels[a.b/c]')).toEqual(['metadata', 'labels', 'a.b/c']);
    expect(fieldPathText(['spec', 'env', 2, 'a.b/c'])).toBe('spec.env[2][a.b/c]');
  });
});

describe('a text', () => {
  it('is marked on the line where it is no YAML', () => {
    const [wrong] = readManifests(`${head}spec:\n  a: 1\n   b: 2\n`, t).problems;
    expect(wrong).toMatchObject({ line: 5, severity: 'error', message: t.wrongIndent });
    expect(check('a:\n    x: 1\n   b: 2\n')[0]).toMatch(/^3: This line is indented/);
    expect(check('a:\n  succ\n  b: 2\n')).toEqual([`2: ${t.noColon}`]);
    expect(check('a: 1\n\tb: 2\n')).toEqual([`2: ${t.tabIndent}`]);
    expect(readManifests('a: "x\n', t).problems[0]?.severity).toBe('error');
    expect(check('a: 1\na: 2\n')[0]).toBe('2: This key stands here twice.');
    expect(check('- a\n')).toEqual(['1: A manifest consists of lines such as “key: value”.']);
  });

  it('may have several documents, comments, and nothing between them', () => {
    const { manifests } = readManifests(`# one\n${head}---\n---\n${head}# end\n`, t);
    expect(manifests.map(({ kind }) => kind)).toEqual(['Job', 'Job']);
  });

  it('has anchors and merged maps', () => {
    const text = 'a: &a {x: 1, y: 2}\nb:\n  <<: *a\n  y: 3\n';
    expect(readManifests(text, t).manifests[0]?.value).toEqual({
      a: { x: 1, y: 2 },
      b: { x: 1, y: 3 },
    });
  });

  it('does not unfold aliases without end', () => {
    const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]'];
    for (const [now, last] of ['ba', 'cb', 'dc', 'ed', 'fe']) {
      bomb.push(`${now}: &${now} [${Array(9).fill(`*${last}`).join(', ')}]`);
    }
    const { manifests, problems } = readManifests(bomb.join('\n'), t);
    expect(manifests[0]?.value).toBeUndefined();
    expect(problems[0]?.message).toMatch(/alias/i);
  });
});

describe('the schema', () => {
  it('tells unknown, missing and wrong fields at their lines', () => {
    const text = `${head}spec:
  clean: Some
  colour: red
  replicaSpecs:
  - replicas: 10
    template:
      args: [a, 3]
      limits: {cpu: 2, memory: 4Gi}
  - type: x
    replicas: many
`;
    expect(check(text)).toEqual([
      '4: This must be one of None, All.',
      '5: There is no field colour here.',
      '7: The field type is missing.',
      '7: The most is 9.',
      '9: This must be text: put it in quotes.',
      '12: This must be a whole number.',
    ]);
  });

  it('has nothing against a good manifest, nor against a key that has no value yet', () => {
    expect(check(`${head}spec:\n  paused:\n  replicaSpecs:\n  - type: a\n`)).toEqual([]);
  });

  it('looks through references', () => {
    const path = ['spec', 'replicaSpecs', 3, 'template', 'limits', 'cpu'];
    expect(schemaAt(job(), path)?.['x-kubernetes-int-or-string']).toBe(true);
    expect(schemaAt(job(), ['spec', 'replicaSpecs', 0, 'template'])?.description).toBe('The pods.');
  });
});

/** The text with the cursor as |. */
function at(text: string) {
  const offset = text.indexOf('|');
  return { text: text.replace('|', ''), offset };
}

describe('the place of the cursor', () => {
  it.each([
    ['spec:\n  |', ['spec'], undefined],
    ['spec:\n  clean: N|', ['spec'], 'clean'],
    ['spec:\n  rs:\n  - type: a\n    |', ['spec', 'rs', 0], undefined],
    [
      'spec:\n  rs:\n  - type: a\n  # x\n  - type: b\n    t:\n      |',
      ['spec', 'rs', 1, 't'],
      undefined,
    ],
    ['spec:\n  rs:\n    - |', ['spec', 'rs', 0], undefined],
    ['spec:\n  rs:\n  - a: 1\n  |', ['spec'], undefined],
    ['a: 1\n---\nb:\n  |', ['b'], undefined],
    ['l:\n- - x\n- y\n- |', ['l', 2], undefined],
  ])('%j', (marked, parent, key) => {
    const { text, offset } = at(marked);
    expect(placeOf(text, offset)).toMatchObject({ parent, key });
  });
});

describe('a new line', () => {
  it('is deeper after a key without a value', () => {
    expect(blockIndent('  spec:')).toBe(4);
    expect(blockIndent('  - template: ')).toBe(6);
    expect(blockIndent('  name: a')).toBeUndefined();
    expect(blockIndent('  # spec:')).toBeUndefined();
  });
});

describe('completion', () => {
  const labels = (marked: string) => {
    const { text, offset } = at(marked);
    const value = readManifests(text, t).manifests[0]?.value;
    return suggest(text, offset, job(), value)?.options.map(({ label }) => label);
  };

  it('offers fields that are not there yet', () => {
    expect(labels(`${head}spec:\n  paused: true\n  c|`)).toEqual([
      'clean',
      'paused',
      'replicaSpecs',
    ]);
    expect(labels(`${head}spec:\n  paused: true\n  |`)).toEqual(['clean', 'replicaSpecs']);
    expect(labels(`${head}spec:\n  replicaSpecs:\n  - |`)).toEqual([
      'type',
      'replicas',
      'template',
    ]);
    expect(labels(`${head}spec:\n  nothing:\n    |`)).toBeUndefined();
  });

  it('offers values', () => {
    expect(labels(`${head}spec:\n  clean: |`)).toEqual(['None', 'All']);
    expect(labels(`${head}spec:\n  paused: t|`)).toEqual(['true', 'false']);
  });

  it('explains the field of a line', () => {
    const { text, offset } = at(`${head}spec:\n  cl|ean: All\n`);
    expect(helpAt(text, offset, job(), t)).toEqual({
      title: 'clean: string',
      text: 'Which.',
      note: 'None | All · Without it: "None"',
    });
  });
});
