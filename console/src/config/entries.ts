// What Secrets and ConfigMaps hold: keys with texts or bytes. No screen in here.
import type { KubeObject } from '../live/protocol';

export interface Secret extends KubeObject {
  type?: string;
  immutable?: boolean;
  /** In base64. */
  data?: Record<string, string>;
}

export interface ConfigMap extends KubeObject {
  immutable?: boolean;
  data?: Record<string, string>;
  /** In base64. */
  binaryData?: Record<string, string>;
}

/** One key of either. Bytes that are no text are kept as they are: an editor would break them. */
export interface Entry {
  key: string;
  text: string;
  /** In base64, instead of the text. */
  binary?: string;
}

export const dockerType = 'kubernetes.io/dockerconfigjson';
export const sshType = 'kubernetes.io/ssh-auth';
export const dockerKey = '.dockerconfigjson';
export const sshKey = 'ssh-privatekey';

export function toBase64(text: string): string {
  let binary = '';
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** Undefined for what is no base64. */
export function bytesOf(base64: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Undefined for bytes that are no text. */
export function textIn(base64: string): string | undefined {
  const bytes = bytesOf(base64);
  if (!bytes || bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function entryOf(key: string, base64: string): Entry {
  const text = textIn(base64);
  return text === undefined ? { key, text: '', binary: base64 } : { key, text };
}

const byKey = (a: Entry, b: Entry) => (a.key < b.key ? -1 : 1);

export function entriesOfSecret({ data = {} }: Secret): Entry[] {
  return Object.entries(data)
    .map(([key, value]) => entryOf(key, value))
    .sort(byKey);
}

export function entriesOfConfigMap({ data = {}, binaryData = {} }: ConfigMap): Entry[] {
  return [
    ...Object.entries(data).map(([key, text]) => ({ key, text })),
    ...Object.entries(binaryData).map(([key, binary]) => ({ key, text: '', binary })),
  ].sort(byKey);
}

export function sizeOfEntry({ text, binary }: Entry): number {
  if (binary !== undefined) return bytesOf(binary)?.length ?? 0;
  return new TextEncoder().encode(text).length;
}

export type KeyProblem = 'missing' | 'letters' | 'twice';

/** What is wrong with the key of an entry among all. */
export function keyProblem(entries: readonly Entry[], index: number): KeyProblem | undefined {
  const key = entries[index]?.key ?? '';
  if (key === '') return 'missing';
  if (!/^[-._a-zA-Z0-9]{1,253}$/.test(key) || key === '.' || key === '..') return 'letters';
  return entries.some((each, other) => other < index && each.key === key) ? 'twice' : undefined;
}

export function secretData(entries: readonly Entry[]): Record<string, string> {
  return Object.fromEntries(
    entries.map(({ key, text, binary }) => [key, binary ?? toBase64(text)]),
  );
}

export function configMapData(entries: readonly Entry[]): Pick<ConfigMap, 'data' | 'binaryData'> {
  const texts = entries.filter(({ binary }) => binary === undefined);
  const others = entries.filter(({ binary }) => binary !== undefined);
  return {
    ...(texts.length > 0 && {
      data: Object.fromEntries(texts.map(({ key, text }) => [key, text])),
    }),
    ...(others.length > 0 && {
      binaryData: Object.fromEntries(others.map(({ key, binary = '' }) => [key, binary])),
    }),
  };
}

export interface Registry {
  server: string;
  user: string;
  password: string;
  email: string;
}

export const noRegistry: Registry = { server: '', user: '', password: '', email: '' };

/** The text that programs which pull images read. */
export function dockerConfig({ server, user, password, email }: Registry): string {
  const entry = {
    username: user,
    password,
    ...(email && { email }),
    auth: toBase64(`${user}:${password}`),
  };
  return JSON.stringify({ auths: { [server]: entry } });
}

/** The one registry that such a text names; undefined for texts of several, or of none. */
export function registryOf(text: string): Registry | undefined {
  try {
    const { auths = {} } = JSON.parse(text) as {
      auths?: Record<string, { username?: string; password?: string; email?: string }>;
    };
    const [only, ...others] = Object.entries(auths);
    if (!only || others.length > 0) return undefined;
    const [server, { username = '', password = '', email = '' }] = only;
    return { server, user: username, password, email };
  } catch {
    return undefined;
  }
}

/** The same Secret with nothing to read in it: for pages on which values are hidden. */
export function hidden(secret: Secret, word: string): Secret {
  const names = Object.keys(secret.data ?? {});
  return names.length === 0
    ? secret
    : { ...secret, data: Object.fromEntries(names.map((name) => [name, word])) };
}
