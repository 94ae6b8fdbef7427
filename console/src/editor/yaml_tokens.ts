// What is what in a line of YAML, for its colours. A line at a time is enough for that, and a hundredth of a parser.

export interface Token {
  from: number;
  to: number;
  kind: 'key' | 'value' | 'comment' | 'meta';
}

const quoted = /"(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?/y;
/** Up to a colon with a space behind it, or a comment; inside brackets also up to what parts their entries. */
const plain = /(?:[^:#\s]|:(?=\S)|(?<=\S)#|\s+(?=[^\s:#]))+/y;
const plainInFlow = /(?:[^:#,[\]{}\s]|:(?=[^\s,\]}])|(?<=\S)#|\s+(?=[^\s:#,[\]{}]))+/y;
const meta = /[&*!][^\s,\]}]*|[|>][-+\d]*(?=\s*(?:#|$))/y;
const behindKey = /\s*:(?=\s|$|[,\]}])/y;

function matchAt(pattern: RegExp, line: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(line) ? pattern.lastIndex : at;
}

/** Of a line that is not within a block of text. */
export function tokensOf(line: string): Token[] {
  const tokens: Token[] = [];
  let depth = 0;
  for (let at = 0; at < line.length; ) {
    const sign = line[at] as string;
    if (sign === '#' && (at === 0 || /\s/.test(line[at - 1] as string))) {
      tokens.push({ from: at, to: line.length, kind: 'comment' });
      break;
    }
    if ('[{'.includes(sign)) depth++;
    if (']}'.includes(sign)) depth = Math.max(0, depth - 1);
    const isMark = '[]{},:'.includes(sign) || /\s/.test(sign);
    if (isMark || /^[-?](\s|$)/.test(line.slice(at, at + 2))) {
      at++;
      continue;
    }
    const afterMeta = matchAt(meta, line, at);
    const pattern = sign === '"' || sign === "'" ? quoted : depth > 0 ? plainInFlow : plain;
    const to = Math.max(at + 1, afterMeta > at ? afterMeta : matchAt(pattern, line, at));
    const isKey = matchAt(behindKey, line, to) > to;
    tokens.push({ from: at, to, kind: afterMeta > at ? 'meta' : isKey ? 'key' : 'value' });
    at = to;
  }
  return tokens;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Whether the line belongs to a block of text, which `|` or `>` has opened somewhere above it. */
export function isInText(lineAt: (row: number) => string, row: number): boolean {
  let indent = indentOf(lineAt(row));
  for (let above = row - 1; above >= 0 && indent > 0; above--) {
    const line = lineAt(above);
    if (line.trim() === '' || indentOf(line) >= indent) continue;
    if (/(^|[:\s-])[|>][-+\d]*\s*(#.*)?$/.test(line)) return true;
    indent = indentOf(line);
  }
  return false;
}

/** The last line of what the line opens, by indentation; its own number when it opens nothing. */
export function lastOfBlock(lineAt: (row: number) => string, rows: number, row: number): number {
  const first = lineAt(row);
  if (first.trim() === '' || /^\s*#/.test(first)) return row;
  const depth = indentOf(first);
  // A list may stand as deep as the key that it belongs to.
  const opensList = /:\s*$/.test(first);
  let last = row;
  for (let below = row + 1; below < rows; below++) {
    const line = lineAt(below);
    if (line.trim() === '') continue;
    const indent = indentOf(line);
    const isEntry = opensList && indent === depth && /^\s*-(\s|$)/.test(line);
    if (indent <= depth && !isEntry) break;
    last = below;
  }
  return last;
}
