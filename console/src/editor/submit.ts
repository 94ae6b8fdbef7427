// Sends what a text says to the server: first as a question, so that nothing is made by halves.
import { ask, Refused } from '../api';
import type { KubeObject } from '../live/protocol';
import { fieldPathText, parseFieldPath } from './field_path';
import { type Manifest, type Problem, problemAt, rangeOf, readManifests } from './manifest';
import { editorWords } from './words';

export type Outcome =
  | { created: KubeObject[] }
  /**
   * `refusal` is the server's answer, verbatim; `causes` are its fields. `made`: some objects of several were made
   * before, which `refusal` names.
   */
  | { problems: Problem[]; refusal: string; causes?: Cause[]; made?: boolean };

type Cause = { field?: string; message?: string };

interface ResourceList {
  resources?: { name: string; kind: string; namespaced: boolean }[];
}

/** Where objects of the manifest's kind are made; undefined when the server has no such kind. */
async function placeFor(manifest: Manifest, project: string): Promise<string | undefined> {
  const { apiVersion, kind, value } = manifest;
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const { resources = [] } = await ask<ResourceList>('GET', root).catch((error: unknown) => {
    // An unknown group is an unknown kind; anything else is a failure of its own.
    if (error instanceof Refused && error.status.code === 404) return {} as ResourceList;
    throw error;
  });
  const found = resources.find((each) => each.kind === kind && !each.name.includes('/'));
  if (!found) return undefined;
  if (!found.namespaced) return `${root}/${found.name}`;
  const named = (value?.metadata as { namespace?: unknown } | null | undefined)?.namespace;
  const namespace = typeof named === 'string' && named !== '' ? named : project;
  return `${root}/namespaces/${encodeURIComponent(namespace)}/${found.name}`;
}

function causesOf(refused: Refused): Cause[] {
  const unknown = [...refused.message.matchAll(/(?:unknown|duplicate) field "([^"]+)"/g)];
  const named = unknown.flatMap(([message, field]) => (field ? [{ field, message }] : []));
  return [...(refused.status.details?.causes ?? []), ...named];
}

/** The server's refusal, drawn where it belongs. */
export function problemsOf(text: string, manifest: Manifest, refused: Refused): Problem[] {
  return causesOf(refused).flatMap(({ field, message }) => {
    if (!field) return [];
    const isKey = /^(unknown|duplicate)/.test(message ?? '');
    const range = rangeOf(manifest, parseFieldPath(field), isKey ? 'key' : 'value');
    const named = fieldPathText(parseFieldPath(field));
    return [{ ...problemAt(text, range, message || refused.message), field: named }];
  });
}

async function send(path: string, manifest: Manifest, query: string): Promise<KubeObject> {
  return ask<KubeObject>('POST', `${path}?${query}`, manifest.value);
}

/** What others are made of: it is made first, so that nobody waits for it. */
const madeFirst = new Set(['Namespace', 'ConfigMap', 'Secret', 'PersistentVolumeClaim']);

function inOrder(manifests: readonly Manifest[]): Manifest[] {
  const first = manifests.filter(({ kind }) => madeFirst.has(kind));
  return [...first, ...manifests.filter(({ kind }) => !madeFirst.has(kind))];
}

interface WithData {
  data?: object;
  binaryData?: object;
}

/** Whether a ConfigMap is there that says the very same: a sample's script, the second time. */
async function isThereAlready(path: string, { kind, value }: Manifest): Promise<boolean> {
  const { name } = (value?.metadata ?? {}) as { name?: unknown };
  if (kind !== 'ConfigMap' || typeof name !== 'string') return false;
  // Asked as a list, of which an empty one is no failure.
  const query = new URLSearchParams({ fieldSelector: `metadata.name=${name}` });
  const { items = [] } = await ask<{ items?: WithData[] }>('GET', `${path}?${query}`);
  const [there] = items;
  if (!there) return false;
  const said = ({ data = {}, binaryData = {} }: WithData) =>
    JSON.stringify([Object.entries(data).sort(), Object.entries(binaryData).sort()]);
  return said(there) === said(value as WithData);
}

/** Makes everything that the text describes; objects that name no project are made in `project`. */
export async function submit(text: string, project: string): Promise<Outcome> {
  const t = editorWords.peek();
  const { manifests: read, problems } = readManifests(text, t);
  if (problems.length > 0) return { problems, refusal: '' };
  const manifests = inOrder(read);
  if (manifests.length === 0) return { problems: [problemAt(text, [0, 0], t.empty)], refusal: '' };
  const created: KubeObject[] = [];
  let current = manifests[0] as Manifest;
  try {
    const places: (string | undefined)[] = [];
    for (current of manifests) {
      const { apiVersion, kind } = current;
      const wrong = apiVersion && kind ? t.unknownKind(kind, apiVersion) : t.noKind;
      const place = apiVersion && kind ? await placeFor(current, project) : undefined;
      if (place === undefined) {
        const range = rangeOf(current, [apiVersion ? 'kind' : 'apiVersion'], 'value');
        return { problems: [problemAt(text, range, wrong)], refusal: '' };
      }
      const isThere = await isThereAlready(place, current);
      places.push(isThere ? undefined : place);
      if (!isThere) await send(place, current, 'dryRun=All&fieldValidation=Strict');
    }
    for (const [index, place] of places.entries()) {
      if (place === undefined) continue;
      current = manifests[index] as Manifest;
      created.push(await send(place, current, 'fieldValidation=Strict'));
    }
    return { created };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const names = created.map(({ kind, metadata }) => `${kind} ${metadata.name}`).join(', ');
    const before = names && `${t.alreadyCreated(names)}\n`;
    const refused = error instanceof Refused ? error : undefined;
    return {
      problems: refused ? problemsOf(text, current, refused) : [],
      causes: refused ? causesOf(refused) : [],
      refusal: `${before}${message}`,
      made: created.length > 0,
    };
  }
}
