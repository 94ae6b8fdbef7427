// Changes of a manifest's text that leave everything else in it as it is: comments, order, unknown fields.
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  type YAMLMap,
} from 'yaml';
import type { Path } from '../editor/field_path';

/** What YAML 1.1 would read as something else stands in quotes: kubectl's parser is of that age. */
const options = { compat: 'yaml-1.1', merge: true } as const;

export type Change = (document: Document) => void;

function indentsLists(text: string): boolean {
  return /^( *)[^\s#-][^\n]*:[ \t]*\n\1 +- /m.test(text);
}

export function edited(text: string, change: Change): string {
  const document = parseDocument(text, options) as Document;
  change(document);
  return document.toString({
    lineWidth: 0,
    indentSeq: indentsLists(text),
    flowCollectionPadding: /[[{] +[^\s\]}]/.test(text),
  });
}

/** Where a new key goes: before those that people write after it. */
const order = [
  'apiVersion',
  'kind',
  'metadata',
  'generateName',
  'name',
  'namespace',
  'labels',
  'annotations',
  'spec',
  'runMode',
  'runPolicy',
  'scheduler',
  'torchrunConfig',
  'mpiConfig',
  'ssh',
  'successRules',
  'failureRules',
  'service',
  'cleanUpPolicy',
  'elastic',
  'tensorboardSpec',
  'type',
  'replicas',
  'restartPolicy',
  'replicaSpecs',
  'template',
  'initContainers',
  'containers',
  'image',
  'workingDir',
  'command',
  'args',
  'env',
  'resources',
  'requests',
  'limits',
  'volumeMounts',
  'volumes',
];

function insert(map: YAMLMap, pair: Pair): void {
  const rank = (key: unknown) => order.indexOf(String(isScalar(key) ? key.value : key));
  const own = rank(pair.key);
  const before = own < 0 ? -1 : map.items.findIndex(({ key }) => rank(key) > own);
  if (before < 0) map.items.push(pair);
  else map.items.splice(before, 0, pair);
}

/** Sets a field; maps and lists on the way are made, also where only the key stands so far. */
export function setIn(document: Document, path: Readonly<Path>, value: unknown): void {
  const [last] = path.slice(-1);
  const parent = path.slice(0, -1);
  if (last === undefined) return;
  const found = document.getIn(parent, true);
  if (!isMap(found) && !isSeq(found)) {
    const empty = document.createNode(typeof last === 'number' ? [] : {});
    if (parent.length === 0) document.contents = empty as typeof document.contents;
    else setIn(document, parent, empty);
    setIn(document, path, value);
    return;
  }
  if (isMap(found) && !found.has(last)) insert(found, document.createPair(last, value) as Pair);
  else document.setIn(path, document.createNode(value) ?? value);
}

/** Fields that mean something though they are empty: their switch is on. */
const kept = new Set([
  'metadata',
  'spec',
  'runPolicy',
  'torchrunConfig',
  't9kScheduler',
  'tensorboardSpec',
  'debug',
  'template',
  'replicaSpecs',
  'containers',
]);

/** Removes a field, and what is empty around it without it. */
export function removeIn(document: Document, path: Readonly<Path>): void {
  if (path.length === 0 || !document.hasIn(path)) return;
  document.deleteIn(path);
  const parent = path.slice(0, -1);
  const [name] = parent.slice(-1);
  const around = document.getIn(parent, true);
  const isEmpty = (isMap(around) || isSeq(around)) && around.items.length === 0;
  if (isEmpty && typeof name === 'string' && !kept.has(name)) removeIn(document, parent);
}

/** Undefined and empty texts stand for a field that is not there. */
export function put(document: Document, path: Readonly<Path>, value: unknown): void {
  const isNothing = value === undefined || value === '' || (Array.isArray(value) && !value.length);
  if (isNothing) removeIn(document, path);
  else setIn(document, path, value);
}

/** Scalars keep the comment behind them when only their value changes. */
export function putScalar(
  document: Document,
  path: Readonly<Path>,
  value: string | number | boolean | undefined,
): void {
  const there = document.getIn(path, true);
  if (isScalar(there) && value !== undefined && value !== '') {
    there.value = value;
    // Quotes of what stood there, such as an empty text, are not those of the new one, which gets them if it must.
    if (there.type?.startsWith('QUOTE')) delete there.type;
  } else {
    put(document, path, value);
  }
}

export function getIn(value: unknown, path: Readonly<Path>): unknown {
  let at = value;
  for (const part of path) {
    if (at === null || typeof at !== 'object') return undefined;
    at = (at as Record<string | number, unknown>)[part];
  }
  return at;
}

export function textAt(value: unknown, path: Readonly<Path>): string {
  const found = getIn(value, path);
  return typeof found === 'string' || typeof found === 'number' ? String(found) : '';
}

export function numberAt(value: unknown, path: Readonly<Path>): number | undefined {
  const found = getIn(value, path);
  return typeof found === 'number' ? found : undefined;
}

export function listAt(value: unknown, path: Readonly<Path>): unknown[] {
  const found = getIn(value, path);
  return Array.isArray(found) ? found : [];
}

export function textsAt(value: unknown, path: Readonly<Path>): string[] {
  return listAt(value, path).map((each) => (typeof each === 'string' ? each : String(each)));
}

export function mapAt(value: unknown, path: Readonly<Path>): Record<string, unknown> {
  const found = getIn(value, path);
  return found !== null && typeof found === 'object' && !Array.isArray(found)
    ? (found as Record<string, unknown>)
    : {};
}

export function has(value: unknown, path: Readonly<Path>): boolean {
  return getIn(value, path) !== undefined;
}
