// What may be written at a place, and what is said about what stands there. No screen in here.
import { placeOf, siblingKeys } from './cursor_path';
import { type KindSchema, resolve, type Schema, type Schemas, schemaAt, typeText } from './schema';
import type { EditorWords } from './words';

export interface Suggestion {
  label: string;
  /** What is put in its place in the text. */
  apply: string;
  detail: string;
  info: string;
}

export interface Suggestions {
  from: number;
  options: Suggestion[];
}

function isContainer(schema: Schema): boolean {
  return schema.type === 'object' || schema.type === 'array';
}

function keySuggestion(name: string, schema: Schema, parent: Schema, schemas: Schemas) {
  const required = parent.required?.includes(name) ? ' *' : '';
  return {
    label: name,
    apply: isContainer(schema) ? `${name}:` : `${name}: `,
    detail: `${typeText(schema, schemas)}${required}`,
    info: schema.description ?? '',
  };
}

function scalarText(value: unknown): string {
  return typeof value === 'string' && /^[A-Za-z][\w./-]*$/.test(value)
    ? value
    : JSON.stringify(value);
}

function values(schema: Schema): Suggestion[] {
  const known = schema.enum ?? (schema.type === 'boolean' ? [true, false] : []);
  const all = known.length === 0 && schema.default !== undefined ? [schema.default] : known;
  return all
    .filter((value) => value === null || typeof value !== 'object')
    .map((value) => ({ label: String(value), apply: scalarText(value), detail: '', info: '' }));
}

/** What may be written at the offset. `value` is what the text says so far, as far as it can be read. */
export function suggest(
  text: string,
  offset: number,
  kind: KindSchema,
  value: unknown,
): Suggestions | undefined {
  const place = placeOf(text, offset);
  if (place.inValue) {
    const schema = schemaAt(kind, [...place.parent, place.key ?? '']);
    const options = schema ? values(schema) : [];
    return options.length > 0 ? { from: place.wordFrom, options } : undefined;
  }
  const parent = schemaAt(kind, place.parent);
  if (!parent?.properties) {
    const options = parent ? values(parent) : [];
    return options.length > 0 ? { from: place.wordFrom, options } : undefined;
  }
  const taken = new Set(siblingKeys(value, place.parent));
  if (place.key !== undefined) taken.delete(place.key);
  const options = Object.entries(parent.properties).flatMap(([name, each]) => {
    const schema = resolve(each, kind.schemas);
    return schema && !taken.has(name) ? [keySuggestion(name, schema, parent, kind.schemas)] : [];
  });
  return { from: place.wordFrom, options };
}

export interface Help {
  /** The field, its type and whether it must be there. */
  title: string;
  text: string;
  note: string;
}

/** What the schema says about the field in whose line the offset is. */
export function helpAt(
  text: string,
  offset: number,
  kind: KindSchema,
  t: EditorWords,
): Help | undefined {
  const lineEnd = text.indexOf('\n', offset);
  const place = placeOf(text, lineEnd < 0 ? text.length : lineEnd);
  if (place.key === undefined) return undefined;
  const schema = schemaAt(kind, [...place.parent, place.key]);
  if (!schema) return undefined;
  const required = schemaAt(kind, place.parent)?.required?.includes(place.key);
  const notes = [
    ...(schema.enum ? [schema.enum.map(String).join(' | ')] : []),
    ...(schema.default !== undefined ? [t.defaultIs(JSON.stringify(schema.default))] : []),
  ];
  return {
    title: `${place.key}: ${typeText(schema, kind.schemas)}${required ? ` (${t.required})` : ''}`,
    text: schema.description ?? '',
    note: notes.join(' · '),
  };
}
