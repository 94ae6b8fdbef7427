// What the schema says against a manifest, in words and at its place. Advice: the server's answer is the truth.
import { fieldPathText, type Path } from './field_path';
import { type Manifest, type Problem, problemAt, rangeOf } from './manifest';
import { type KindSchema, resolve, type Schema, typeText } from './schema';
import type { EditorWords } from './words';

interface Fault {
  path: Path;
  /** A field that is not there stands nowhere: `path` is what it belongs to. */
  missing?: string;
  /** The key is wrong, not what stands behind it. */
  atKey?: boolean;
  message: string;
}

const isOfType: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  array: (value) => Array.isArray(value),
  object: (value) => typeof value === 'object' && !Array.isArray(value),
};

/** A pattern that only the server's language of patterns knows is the server's to check. */
function matches(value: string, pattern: string): boolean {
  try {
    return new RegExp(pattern).test(value);
  } catch {
    return true;
  }
}

/** The kinds of rules that the server's schemas consist of; no others occur in them. */
class Checker {
  readonly faults: Fault[] = [];

  constructor(
    private readonly kind: KindSchema,
    private readonly t: EditorWords,
  ) {}

  check(value: unknown, reference: Schema | undefined, path: Path): void {
    const schema = resolve(reference, this.kind.schemas);
    // A key without a value is not yet written; the server takes it as absent.
    if (!schema || value === null || value === undefined) return;
    if (!this.#fits(value, schema)) {
      this.#report(path, this.#wrongType(value, schema));
    } else if (Array.isArray(value)) {
      value.forEach((each, index) => {
        this.check(each, schema.items, [...path, index]);
      });
    } else if (typeof value === 'object') {
      this.#checkFields(value as Record<string, unknown>, schema, path);
    } else {
      this.#checkScalar(value, schema, path);
    }
  }

  #report(path: Path, message: string, atKey = false): void {
    this.faults.push({ path, message, atKey });
  }

  #fits(value: unknown, schema: Schema): boolean {
    if (schema['x-kubernetes-int-or-string']) {
      return typeof value === 'string' || typeof value === 'number';
    }
    return isOfType[schema.type ?? '']?.(value) ?? true;
  }

  #wrongType(value: unknown, schema: Schema): string {
    const { t } = this;
    if (schema.type === 'string' && typeof value !== 'object') return t.wrongType(t.textInQuotes);
    const name = schema.type === 'array' ? 'array' : typeText(schema, this.kind.schemas);
    return t.wrongType(t.types[name] ?? name);
  }

  #checkFields(value: Record<string, unknown>, schema: Schema, path: Path): void {
    for (const name of schema.required ?? []) {
      if (!(name in value)) {
        this.faults.push({ path, missing: name, message: this.t.missingField(name) });
      }
    }
    const { properties, additionalProperties } = schema;
    const others = typeof additionalProperties === 'object' ? additionalProperties : undefined;
    const isOpen = !properties || additionalProperties === true;
    for (const [name, each] of Object.entries(value)) {
      const known = properties && Object.hasOwn(properties, name) ? properties[name] : others;
      if (known) this.check(each, known, [...path, name]);
      else if (!isOpen && !schema['x-kubernetes-preserve-unknown-fields']) {
        this.#report([...path, name], this.t.unknownField(name), true);
      }
    }
  }

  #checkScalar(value: unknown, schema: Schema, path: Path): void {
    const { t } = this;
    if (schema.enum && !schema.enum.includes(value)) {
      this.#report(path, t.notOneOf(schema.enum.map(String).join(', ')));
    }
    if (typeof value === 'number') {
      const { minimum = value, maximum = value } = schema;
      if (value < minimum) this.#report(path, t.tooSmall(minimum));
      if (value > maximum) this.#report(path, t.tooLarge(maximum));
    }
    if (typeof value === 'string' && schema.pattern && !matches(value, schema.pattern)) {
      this.#report(path, t.pattern(schema.pattern));
    }
  }
}

/** Problems of one manifest of the text, in the order of the text. */
export function checkManifest(
  text: string,
  manifest: Manifest,
  kind: KindSchema,
  t: EditorWords,
): Problem[] {
  if (!manifest.value) return [];
  const checker = new Checker(kind, t);
  checker.check(manifest.value, kind.schemas[kind.name], []);
  return checker.faults
    .map(({ path, missing, atKey, message }) => ({
      ...problemAt(text, rangeOf(manifest, path, atKey ? 'key' : 'value'), message, 'warning'),
      field: fieldPathText(missing === undefined ? path : [...path, missing]),
    }))
    .sort((a, b) => a.from - b.from);
}
