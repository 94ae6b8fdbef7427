// The schemas of the API: what may stand where, and what it means. No screen in here.
import { ask } from '../api';
import type { Path } from './field_path';

export interface Schema {
  $ref?: string;
  allOf?: Schema[];
  type?: string;
  description?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  required?: string[];
  enum?: unknown[];
  default?: unknown;
  nullable?: boolean;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-group-version-kind'?: { group: string; version: string; kind: string }[];
}

/** The schemas of one group and version, by the names with which they refer to each other. */
export type Schemas = Record<string, Schema>;

export interface KindSchema {
  name: string;
  schemas: Schemas;
}

const prefix = '#/components/schemas/';

/** What a reference stands for, with the description of the place where it is used. */
export function resolve(schema: Schema | undefined, schemas: Schemas): Schema | undefined {
  let found = schema;
  let description = schema?.description;
  for (let depth = 0; found && depth < 20; depth++) {
    const [only] = found.allOf ?? [];
    const name = (found.$ref ?? only?.$ref)?.replace(prefix, '');
    if (name === undefined) break;
    found = schemas[name];
    description ??= found?.description;
  }
  return found && { ...found, ...(description !== undefined && { description }) };
}

export function schemaAt(kind: KindSchema, path: Readonly<Path>): Schema | undefined {
  let at = resolve(kind.schemas[kind.name], kind.schemas);
  for (const part of path) {
    const more = at?.additionalProperties;
    const next =
      typeof part === 'number'
        ? at?.items
        : (at?.properties?.[part] ?? (typeof more === 'object' ? more : undefined));
    at = resolve(next, kind.schemas);
    if (!at) return undefined;
  }
  return at;
}

/** `string`, `list of string`, `map of quantity`: for people. */
export function typeText(schema: Schema, schemas: Schemas): string {
  if (schema.type === 'array') {
    const items = resolve(schema.items, schemas);
    return items ? `${typeText(items, schemas)}[]` : 'array';
  }
  if (schema['x-kubernetes-int-or-string']) return 'integer | string';
  return schema.type ?? 'any';
}

const loads = new Map<string, Promise<Schemas>>();

function loadGroup(apiVersion: string): Promise<Schemas> {
  const known = loads.get(apiVersion);
  if (known) return known;
  const path = apiVersion.includes('/') ? `apis/${apiVersion}` : `api/${apiVersion}`;
  const load = ask<{ components?: { schemas?: Schemas } }>('GET', `/openapi/v3/${path}`).then(
    ({ components }) => components?.schemas ?? {},
  );
  loads.set(apiVersion, load);
  // The next editor asks again.
  load.catch(() => loads.delete(apiVersion));
  return load;
}

export function kindSchema(
  schemas: Schemas,
  apiVersion: string,
  kind: string,
): KindSchema | undefined {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const name = Object.keys(schemas).find((each) =>
    schemas[each]?.['x-kubernetes-group-version-kind']?.some(
      (known) => known.group === group && known.version === version && known.kind === kind,
    ),
  );
  return name === undefined ? undefined : { name, schemas };
}

/** Undefined for a kind that the server does not have, or when it cannot be asked: then there is only less help. */
export async function loadKindSchema(
  apiVersion: string,
  kind: string,
): Promise<KindSchema | undefined> {
  if (!/^([a-z0-9.-]+\/)?v[a-z0-9]+$/.test(apiVersion) || kind === '') return undefined;
  try {
    return kindSchema(await loadGroup(apiVersion), apiVersion, kind);
  } catch {
    return undefined;
  }
}
