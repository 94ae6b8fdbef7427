// Paths and files of volumes, as the server tells of them. No screen in here.
//
// A name on a disk is a row of bytes, which need not be text. So paths are handled as the server encodes them, with
// percent signs for all that is not plain, and only what is shown to people is text.

import { bytes } from '../quantity';

export type FileType = 'file' | 'folder' | 'link' | 'special';

export interface FileEntry {
  /** For people. */
  name: string;
  /** For addresses. */
  encoded: string;
  type: FileType;
  /** Of a file. */
  bytes?: number;
  modified: string;
  mode: string;
  owner: string;
  /** Of a link. */
  target?: string;
  tag: string;
}

export interface FileView {
  readOnly: boolean;
  freeBytes: number;
  file: FileEntry;
  /** Of a folder. */
  entries?: FileEntry[];
  total?: number;
}

/** As the server encodes it: also the letters that `encodeURIComponent` leaves alone. */
export function encodeName(name: string): string {
  return encodeURIComponent(name).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** An encoded path inside a folder; the volume itself is the empty path. */
export function joined(folder: string, encoded: string): string {
  return folder === '' ? encoded : `${folder}/${encoded}`;
}

/** What is shown of an encoded name; bytes that are no text become signs that say so. */
export function shownName(encoded: string): string {
  const bytes: number[] = [];
  for (let i = 0; i < encoded.length; i++) {
    const hex = /^%([0-9A-Fa-f]{2})/.exec(encoded.slice(i, i + 3));
    bytes.push(hex ? Number.parseInt(hex[1] ?? '', 16) : encoded.charCodeAt(i));
    if (hex) i += 2;
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

/** Control characters and the marks that turn the direction of text would change what a name seems to be. */
export function inert(name: string): string {
  return name.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\ufffd');
}

export interface Crumb {
  text: string;
  path: string;
}

/** The folders on the way to a path, from the volume's own. */
export function crumbsOf(volume: string, path: string): Crumb[] {
  const crumbs: Crumb[] = [{ text: volume, path: '' }];
  let way = '';
  for (const part of path.split('/').filter((each) => each !== '')) {
    way = joined(way, part);
    crumbs.push({ text: inert(shownName(part)), path: way });
  }
  return crumbs;
}

export function parentOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
}

export function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export type NameProblem = 'missing' | 'slash' | 'dots' | 'long';

/** What is wrong with a name for a file or folder, as it was typed. */
export function nameProblem(name: string): NameProblem | undefined {
  if (name === '') return 'missing';
  if (name.includes('/')) return 'slash';
  if (name === '.' || name === '..') return 'dots';
  return new TextEncoder().encode(name).length > 255 ? 'long' : undefined;
}

export type FileOrder = 'name' | 'bytes' | 'modified';

/** Folders first, whatever the order; equal ones by name. */
export function ordered(
  entries: readonly FileEntry[],
  order: FileOrder,
  descending: boolean,
): FileEntry[] {
  const key = (entry: FileEntry) => (order === 'bytes' ? (entry.bytes ?? -1) : entry[order]);
  const byName = (a: FileEntry, b: FileEntry) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
  const sign = descending ? -1 : 1;
  return entries.toSorted((a, b) => {
    if ((a.type === 'folder') !== (b.type === 'folder')) return a.type === 'folder' ? -1 : 1;
    const [left, right] = [key(a), key(b)];
    if (left === right) return byName(a, b);
    return left < right ? -sign : sign;
  });
}

/** `56 B`, `4.77 MiB`. */
export function fileSize(size: number): string {
  return size < 1024 ? `${size} B` : bytes(size).replace(/[A-Z]i$/, ' $&B');
}

/** Texts up to this size can be edited in the page. */
export const editLimit = 1 << 20;

/** What programs and not people read, by the ends of their names. */
const binary = new RegExp(
  [
    'png|jpe?g|gif|webp|ico|bmp|tiff?|pdf|docx?|xlsx?|pptx?|mp[34]|wav|flac|ogg|avi|mov|mkv',
    'zip|gz|tgz|bz2|xz|zst|lz4|7z|tar|rar|jar|whl',
    'pth?|ckpt|safetensors|bin|np[yz]|pkl|pickle|h5|hdf5|onnx|pb|tflite|gguf|ggml|model|engine',
    'parquet|arrow|feather|orc|avro|tfrecords?|lmdb|mdb|db|sqlite3?|idx|rec',
    'so|o|a|exe|dll|class|py[co]|woff2?|ttf|otf',
  ]
    .map((ends) => `\\.(?:${ends})$`)
    .join('|')
    .concat('|\\.tfevents\\.'),
  'i',
);

/** Why the page does not open a file as text; undefined when it does. What is in it shows then. */
export function unreadable({ name, bytes = 0 }: FileEntry): 'large' | 'binary' | undefined {
  if (binary.test(name)) return 'binary';
  return bytes > editLimit ? 'large' : undefined;
}

/** The text of a file; undefined when it is none, and an editor would break it. */
export function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Where the API has the files of a claim. */
export function filesPath(namespace: string, claim: string): string {
  const place = `namespaces/${encodeURIComponent(namespace)}`;
  return `/api/v1/${place}/persistentvolumeclaims/${encodeURIComponent(claim)}/files`;
}

/** For the address of a request; `path` is encoded already, and its slashes may stay. */
export function fileHref(root: string, path: string, more = ''): string {
  return `${root}?path=${path}${more}`;
}

/** The path that the address of the page names; only what can be one. */
export function pathInQuery(query: string): string {
  const found = /(?:^|&)path=([^&]*)/.exec(query)?.[1] ?? '';
  return found
    .split('/')
    .filter((part) => /^(?:[\w.~-]|%[0-9A-Fa-f]{2})+$/.test(part))
    .join('/');
}
