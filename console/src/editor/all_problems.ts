import type { Problem } from './manifest';

/** What it is about: two documents of a text may have the same field. */
function keyOf({ line, field, from, message }: Problem): string {
  return field === undefined ? `${from} ${message}` : `${line} ${field}`;
}

/**
 * What the server says and what the page has found, from the first line to the last: one entry a line and field, and
 * of the page's own only what the server does not speak of.
 */
export function allProblems(theirs: readonly Problem[], own: readonly Problem[]): Problem[] {
  const found = new Map<string, Problem>();
  for (const problem of theirs) {
    const key = keyOf(problem);
    const before = found.get(key);
    if (!before) found.set(key, problem);
    else if (!before.message.split('; ').includes(problem.message)) {
      found.set(key, { ...before, message: `${before.message}; ${problem.message}` });
    }
  }
  for (const problem of own) {
    const key = keyOf(problem);
    if (!found.has(key)) found.set(key, problem);
  }
  return [...found.values()].sort((a, b) => a.from - b.from);
}
