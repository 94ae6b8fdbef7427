import { describe, expect, it } from 'vitest';
import { isInText, lastOfBlock, tokensOf } from './yaml_tokens';

/** `key=name value=a`: what each token is, and its text. */
function told(line: string): string[] {
  return tokensOf(line).map(({ from, to, kind }) => `${kind}=${line.slice(from, to)}`);
}

describe('the tokens of a line', () => {
  it.each([
    ['  - name: a b # why', ['key=name', 'value=a b', 'comment=# why']],
    ['image: host/x:1.0#y', ['key=image', 'value=host/x:1.0#y']],
    ['"a b": "x # y"', ['key="a b"', 'value="x # y"']],
    [
      'm: {name: a, "b": [1, x y]}',
      ['key=m', 'key=name', 'value=a', 'key="b"', 'value=1', 'value=x y'],
    ],
    ["cmd: [sh, -c, 'sleep 5']", ['key=cmd', 'value=sh', 'value=-c', "value='sleep 5'"]],
    ['a: &x !!str b', ['key=a', 'meta=&x', 'meta=!!str', 'value=b']],
    ['script: |-', ['key=script', 'meta=|-']],
    ['# all', ['comment=# all']],
    ['---', ['value=---']],
    ['- "open', ['value="open']],
    ['a:', ['key=a']],
    ['', []],
  ])('%j', (line, tokens) => {
    expect(told(line)).toEqual(tokens);
  });

  it('end, whatever stands in the line', () => {
    for (const line of [
      ':',
      '::',
      '[',
      ']]',
      '{a',
      "'",
      '&',
      '|',
      '> x',
      ': :',
      '#',
      '\\',
      '?',
      '-',
    ]) {
      expect(tokensOf(line).every(({ from, to }) => from < to && to <= line.length)).toBe(true);
    }
  });
});

describe('a block', () => {
  const lines = [
    'a:',
    '  run: |  # text',
    '    if x:',
    '',
    '      echo y',
    '  list:',
    '  - one',
    '  - two: 2',
    'b: 1',
  ];
  const lineAt = (row: number) => lines[row] ?? '';

  it('of text is known by its beginning', () => {
    const text = lines.map((_, row) => isInText(lineAt, row));
    expect(text).toEqual([false, false, true, false, true, false, false, false, false]);
  });

  it('ends where the indentation does', () => {
    expect([0, 1, 5, 6, 8].map((row) => lastOfBlock(lineAt, lines.length, row))).toEqual([
      7, 4, 7, 6, 8,
    ]);
  });
});
