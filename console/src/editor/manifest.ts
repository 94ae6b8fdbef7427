// The text of a manifest: what is in it, where it stands, and what is wrong with it as YAML. No screen in here.
import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Node,
  parseAllDocuments,
  type YAMLParseError,
} from 'yaml';
import type { Path } from './field_path';
import type { EditorWords } from './words';

/** Something to be said about a piece of the text. */
export interface Problem {
  from: number;
  to: number;
  /** Counted from 1. */
  line: number;
  message: string;
  /** Errors keep the text from being sent; the server has the last word about warnings. */
  severity: 'error' | 'warning';
  /** Which field it is about, as the API spells it. */
  field?: string;
}

export interface Manifest {
  document: Document;
  /** What it says, undefined as long as it cannot be read. */
  value: Record<string, unknown> | undefined;
  apiVersion: string;
  kind: string;
}

export interface Reading {
  manifests: Manifest[];
  problems: Problem[];
}

export function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** A mark has at least one character, and ends with its line: whole blocks in red tell nothing. */
export function problemAt(
  text: string,
  [from, to]: readonly [number, number],
  message: string,
  severity: Problem['severity'] = 'error',
): Problem {
  const start = Math.min(from, text.length);
  const newline = text.indexOf('\n', start);
  const lineEnd = newline < 0 ? text.length : newline;
  const end = Math.min(Math.max(to, start + 1), Math.max(lineEnd, start), text.length);
  return { from: start, to: end, line: lineOf(text, start), message, severity };
}

/** Its first line: the others only draw the place, which the editor does better. */
function headline(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
}

/** One line that is too deep or not deep enough is told of in several ways: this is the one for people. */
function syntaxProblem(text: string, { code, pos, message }: YAMLParseError, t: EditorWords) {
  const [from, to] = pos;
  const lastLine = text.lastIndexOf('\n', to - 1) + 1;
  switch (code) {
    case 'MULTILINE_IMPLICIT_KEY':
      // What was taken for the beginning of a key goes from one line to another: either the first has no colon, or
      // the last does not fit.
      return beginsLine(text, from) && from < lastLine
        ? problemAt(text, pos, t.noColon)
        : problemAt(text, [Math.max(from, lastLine), to], t.wrongIndent);
    case 'BAD_INDENT':
      return problemAt(text, pos, `${t.wrongIndent} ${headline(message)}`);
    case 'TAB_AS_INDENT':
      return problemAt(text, pos, t.tabIndent);
    case 'DUPLICATE_KEY':
      return problemAt(text, pos, t.duplicateKey);
    default:
      return problemAt(text, pos, headline(message));
  }
}

function beginsLine(text: string, offset: number): boolean {
  return text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset).trim() === '';
}

function syntaxProblems(text: string, errors: YAMLParseError[], t: EditorWords): Problem[] {
  const told = errors.some(({ code }) => code === 'MULTILINE_IMPLICIT_KEY')
    ? errors.filter(({ code }) => !followers.has(code))
    : errors;
  return told.map((error) => syntaxProblem(text, error, t));
}

/** What a wrong indentation brings along. */
const followers = new Set(['BLOCK_AS_IMPLICIT_KEY', 'MISSING_CHAR', 'UNEXPECTED_TOKEN']);

/** Each document of the text, and what YAML itself says against it. Empty documents are none. */
export function readManifests(text: string, t: EditorWords): Reading {
  const problems: Problem[] = [];
  const manifests: Manifest[] = [];
  // With merge keys (<<), which manifests of kubectl's age may have.
  for (const document of parseAllDocuments(text, { merge: true }) as Document[]) {
    problems.push(...syntaxProblems(text, document.errors, t));
    if (document.errors.length === 0 && isEmpty(document)) continue;
    manifests.push(readDocument(document, text, problems, t));
  }
  return { manifests, problems };
}

function isEmpty({ contents }: Document): boolean {
  return contents === null || (isScalar(contents) && contents.value === null);
}

function readDocument(
  document: Document,
  text: string,
  problems: Problem[],
  t: EditorWords,
): Manifest {
  const manifest: Manifest = { document, value: undefined, apiVersion: '', kind: '' };
  if (document.errors.length > 0) return manifest;
  if (!isMap(document.contents)) {
    const [from, to] = document.contents?.range ?? [0, 0];
    problems.push(problemAt(text, [from, to], t.notAMap));
    return manifest;
  }
  try {
    manifest.value = document.toJS() as Record<string, unknown>;
  } catch (error) {
    // Aliases that would unfold without end.
    problems.push(problemAt(text, [0, 0], error instanceof Error ? error.message : String(error)));
    return manifest;
  }
  const { apiVersion, kind } = manifest.value;
  manifest.apiVersion = typeof apiVersion === 'string' ? apiVersion : '';
  manifest.kind = typeof kind === 'string' ? kind : '';
  return manifest;
}

/** Where the field stands; of a field that is not there, the innermost around it that is. */
export function rangeOf(
  { document }: Pick<Manifest, 'document'>,
  path: Readonly<Path>,
  wanted: 'key' | 'value',
): [number, number] {
  let node: unknown = document.contents;
  let range = rangeOfNode(node) ?? [0, 0];
  for (const part of path) {
    const next = child(node, part, document);
    if (!next) return range;
    const { key, value } = next;
    node = value;
    const ofKey = rangeOfNode(key);
    const ofValue = rangeOfNode(value);
    // A value that is a block begins on the next line: its key says better where it is.
    const isBlock = isMap(value) || isSeq(value);
    range = (wanted === 'key' || isBlock ? (ofKey ?? ofValue) : (ofValue ?? ofKey)) ?? range;
  }
  return range;
}

function child(
  node: unknown,
  part: string | number,
  document: Document,
): { key?: unknown; value: unknown } | undefined {
  if (isAlias(node)) return child(node.resolve(document), part, document);
  if (isSeq(node)) {
    const item = node.items[Number(part)];
    return item === undefined ? undefined : { value: isPair(item) ? item.value : item };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find(
    ({ key }) => String(isScalar(key) ? key.value : key) === String(part),
  );
  return pair && { key: pair.key, value: pair.value };
}

function rangeOfNode(node: unknown): [number, number] | undefined {
  const range = (node as Node | null | undefined)?.range;
  return range ? [range[0], range[1]] : undefined;
}
