import { describe, expect, it } from 'vitest';
import { allProblems } from './all_problems';
import type { Problem } from './manifest';

const at = (line: number, message: string, field?: string): Problem => ({
  from: line * 10,
  to: line * 10 + 1,
  line,
  message,
  severity: 'error',
  ...(field !== undefined && { field }),
});
const texts = (problems: Problem[]) => problems.map(({ line, message }) => `${line} ${message}`);

describe('all problems of a text', () => {
  it('stand in the order of the lines, the server’s in place of the page’s own', () => {
    const theirs = [at(8, 'too small', 'spec.size'), at(2, 'Required value', 'spec.a')];
    const own = [at(8, 'The least is 1.', 'spec.size'), at(5, 'unknown', 'spec.b')];
    expect(texts(allProblems(theirs, own))).toEqual([
      '2 Required value',
      '5 unknown',
      '8 too small',
    ]);
  });

  it('are not lost where several are missing in one place', () => {
    const own = [at(3, 'a is missing', 'spec.a'), at(3, 'b is missing', 'spec.b')];
    expect(texts(allProblems([at(3, 'Required value', 'spec.b')], own))).toEqual([
      '3 Required value',
      '3 a is missing',
    ]);
  });

  it('are told once, and of one field together', () => {
    const theirs = [at(4, 'x', 'spec.c'), at(4, 'x', 'spec.c'), at(4, 'y', 'spec.c')];
    expect(texts(allProblems(theirs, []))).toEqual(['4 x; y']);
    expect(allProblems([], [at(1, 'no colon'), at(1, 'no indent')])).toHaveLength(2);
    expect(allProblems([at(1, 'x', 'name')], [at(9, 'x', 'name')]), 'of two objects').toHaveLength(
      2,
    );
  });
});
