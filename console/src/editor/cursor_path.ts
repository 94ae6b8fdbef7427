// Which field the cursor is at, found by indentation alone: while one types, the text is rarely whole YAML.
import type { Path } from './field_path';

export interface CursorPlace {
  /** The map or list around. */
  parent: Path;
  /** The key of the line, when it has one. */
  key: string | undefined;
  /** Whether the cursor stands behind the key's colon. */
  inValue: boolean;
  /** Where the word begins that is being typed. */
  wordFrom: number;
}

interface Line {
  /** Columns before each dash of the line, and before its content. */
  dashes: number[];
  column: number;
  key: string | undefined;
  /** Column behind the colon. */
  valueColumn: number;
}

const keyPattern = /^("([^"]*)"|'([^']*)'|[^\s:#,[\]{}"'&*!|>%@`-][^:#]*?)\s*:(?=\s|$)/;

function readLine(line: string): Line {
  const dashes: number[] = [];
  let column = line.length - line.trimStart().length;
  while (/^-(\s|$)/.test(line.slice(column))) {
    dashes.push(column);
    const after = line.slice(column + 1);
    column += 1 + (after.length - after.trimStart().length);
  }
  const match = keyPattern.exec(line.slice(column));
  const key = match && (match[2] ?? match[3] ?? match[1]);
  return { dashes, column, key: key ?? undefined, valueColumn: column + (match?.[0].length ?? 0) };
}

/** A comment, an empty line, or the border of two documents tell nothing about depth. */
function isSilent(line: string): boolean {
  return /^\s*(#|$)/.test(line);
}

/** How many lists of this depth begin before the line, within the same parent. */
function indexOf(lines: readonly string[], row: number, dash: number): number {
  let index = 0;
  for (let above = row - 1; above >= 0; above--) {
    const text = lines[above] ?? '';
    if (isSilent(text)) continue;
    if (/^---/.test(text)) break;
    const { dashes, column } = readLine(text);
    if (dashes.includes(dash)) index++;
    else if (Math.min(column, ...dashes) <= dash) break;
  }
  return index;
}

/** The keys and indices around a place of this column, from the outside in. */
function pathAbove(lines: readonly string[], row: number, column: number, dashes: number[]): Path {
  const path: Path = [];
  let depth = column;
  let inList = false;
  const enter = (at: number, found: number[]) => {
    for (const dash of found.toReversed().filter((each) => each < depth)) {
      path.unshift(indexOf(lines, at, dash));
      depth = dash;
      inList = true;
    }
  };
  enter(row, dashes);
  for (let at = row - 1; at >= 0; at--) {
    const text = lines[at] ?? '';
    if (isSilent(text)) continue;
    if (/^---/.test(text)) break;
    const line = readLine(text);
    // A list may stand as deep as the key that it belongs to.
    if (line.key !== undefined && (line.column < depth || (inList && line.column === depth))) {
      path.unshift(line.key);
      depth = line.column;
      inList = false;
    }
    enter(at, line.dashes);
  }
  return path;
}

export function placeOf(text: string, offset: number): CursorPlace {
  const lines = text.slice(0, offset).split('\n');
  const row = lines.length - 1;
  const before = lines[row] ?? '';
  const lineStart = offset - before.length;
  const whole = before + (text.slice(offset).split('\n')[0] ?? '');
  const line = readLine(whole);
  const typed = readLine(before);
  const inValue = typed.key !== undefined && before.length >= typed.valueColumn;
  const word = /[^\s:,[\]{}]*$/.exec(before)?.[0] ?? '';
  // On an empty line the cursor itself says how deep one is.
  const column = whole.trim() === '' ? before.length : typed.column;
  return {
    parent: pathAbove([...lines.slice(0, row), before], row, column, typed.dashes),
    key: inValue ? typed.key : line.key,
    inValue,
    wordFrom: lineStart + before.length - word.length,
  };
}

/** How deep the line after this one begins, when this one opens a block: `key:` and nothing behind it. */
export function blockIndent(line: string): number | undefined {
  const { key, column, valueColumn } = readLine(line);
  return key !== undefined && line.slice(valueColumn).trim() === '' ? column + 2 : undefined;
}

/** Keys that stand in the same map already: they need not be offered again. */
export function siblingKeys(value: unknown, parent: Path): string[] {
  let at = value;
  for (const part of parent)
    at = (at as Record<string | number, unknown> | null | undefined)?.[part];
  return at !== null && typeof at === 'object' && !Array.isArray(at) ? Object.keys(at) : [];
}
