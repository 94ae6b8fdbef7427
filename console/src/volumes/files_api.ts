// Asks the server for the files of a volume, and to change them.
import { ask, Refused } from '../api';
import { request, sign } from '../login';
import { editLimit, type FileEntry, type FileView, fileHref, textOf } from './files';

/** `after` is the encoded name behind which the entries begin. */
export function lookAt(root: string, path: string, after = ''): Promise<FileView> {
  return ask<FileView>('GET', fileHref(root, path, after && `&after=${after}`));
}

export function makeFolder(root: string, path: string): Promise<FileEntry> {
  return ask<FileEntry>('POST', fileHref(root, path));
}

export function renameFile(root: string, path: string, to: string): Promise<FileEntry> {
  return ask<FileEntry>('PATCH', fileHref(root, path, `&to=${to}`));
}

export async function removeFile(root: string, path: string): Promise<void> {
  await ask('DELETE', fileHref(root, path, '&recursive=true'));
}

export function downloadHref(root: string, path: string): string {
  return fileHref(root, path, '&content=true');
}

/** A text and the tag by which the server knows whether it is still that one. */
export interface OpenText {
  text: string;
  tag: string;
  /** The volume takes no changes. */
  readOnly: boolean;
}

export type Unreadable = 'large' | 'binary';

export async function readText(root: string, path: string): Promise<OpenText | Unreadable> {
  const { file, readOnly } = await lookAt(root, path);
  if ((file.bytes ?? 0) > editLimit) return 'large';
  const answer = await request(downloadHref(root, path));
  if (!answer.ok) throw new Refused(`${answer.status} ${answer.statusText}`);
  const text = textOf(new Uint8Array(await answer.arrayBuffer()));
  const tag = answer.headers.get('ETag') ?? '';
  return text === undefined ? 'binary' : { text, tag, readOnly };
}

/** With a tag: only if the file is still the one that was read. Without: whatever is there. */
export async function writeText(
  root: string,
  path: string,
  text: string,
  tag: string,
): Promise<string> {
  const answer = await request(fileHref(root, path, tag ? '' : '&overwrite=true'), {
    method: 'PUT',
    body: text,
    headers: { 'Content-Type': 'application/octet-stream', ...(tag && { 'If-Match': tag }) },
  });
  const said = (await answer.json()) as FileEntry & { message?: string };
  if (!answer.ok) throw new Refused(said.message || `${answer.status} ${answer.statusText}`);
  return `"${said.tag}"`;
}

/** An empty file, where there is none yet. */
export async function makeFile(root: string, path: string): Promise<void> {
  await ask('PUT', fileHref(root, path));
}

export interface Sending {
  /** Without the answer's end, or with what the server said no to. */
  done: Promise<void>;
  stop: () => void;
}

/** Not by `fetch`, which does not tell how far it has come. */
export function sendFile(
  href: string,
  file: Blob,
  progress: (bytes: number) => void,
  broken: string,
): Sending {
  const upload = new XMLHttpRequest();
  const done = new Promise<void>((resolve, reject) => {
    upload.upload.onprogress = ({ loaded }) => progress(loaded);
    upload.onload = () => {
      if (upload.status === 200) resolve();
      else reject(new Refused(messageIn(upload.responseText) || `${upload.status}`));
    };
    upload.onerror = () => reject(new Refused(broken));
    upload.onabort = () => reject(new Refused(''));
  });
  upload.open('PUT', href);
  sign(upload);
  upload.setRequestHeader('Content-Type', 'application/octet-stream');
  upload.send(file);
  return { done, stop: () => upload.abort() };
}

function messageIn(text: string): string {
  try {
    return String((JSON.parse(text) as { message?: unknown }).message ?? '');
  } catch {
    return '';
  }
}
