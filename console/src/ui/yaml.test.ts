import { describe, expect, it } from 'vitest';
import { manifest } from './yaml';

describe('a manifest', () => {
  it('begins as people write it and leaves out who wrote which field', () => {
    const text = manifest({
      spec: { replicas: 2, args: ['-c', 'echo "hi"\nexit 3\n'], empty: [], none: {} },
      metadata: { name: 'a', managedFields: [{ manager: 'x' }], labels: { team: 'vision' } },
      kind: 'Job',
      apiVersion: 'v1',
    });
    expect(text).toBe(
      [
        'apiVersion: v1',
        'kind: Job',
        'metadata:',
        '  name: a',
        '  labels:',
        '    team: vision',
        'spec:',
        '  replicas: 2',
        '  args:',
        '  - "-c"',
        '  - |',
        '    echo "hi"',
        '    exit 3',
        '  empty: []',
        '  none: {}',
        '',
      ].join('\n'),
    );
  });

  it('puts in quotes what would be read as something else', () => {
    const values = [
      'true',
      '1',
      '1e3',
      '',
      ' x',
      'a: b',
      '#x',
      '2026-01-01',
      '*a',
      'a #b',
      'x\x1by',
      '是',
    ];
    for (const value of values) {
      expect(manifest({ metadata: {}, v: value })).toContain(`v: ${JSON.stringify(value)}\n`);
    }
    expect(manifest({ metadata: {}, v: 'sleep 3600', none: null, f: false })).toContain(
      'v: sleep 3600\nnone: null\nf: false\n',
    );
  });

  it('nests lists of maps and lists', () => {
    expect(manifest({ metadata: {}, a: [{ b: [{ c: 1 }], d: 2 }, [1], []] })).toContain(
      'a:\n- b:\n  - c: 1\n  d: 2\n-\n  - 1\n- []\n',
    );
  });
});
