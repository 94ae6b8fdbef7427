// Objects of the API as YAML, for reading and for pasting elsewhere.

/** What YAML would read as something else than this text must stand in quotes. */
const plain = /^[A-Za-z/_.][A-Za-z0-9/_.+-]*( [A-Za-z0-9/_.+=,()'-]+)*$/;
const words = /^(true|false|yes|no|on|off|null|y|n|~|\.inf|\.nan)$/i;

function scalar(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value ?? null);
  if (plain.test(value) && !words.test(value)) return value;
  return JSON.stringify(value);
}

/** Lines of text keep their shape when nothing about them is unusual. */
function isBlock(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    /^[^\s].*\n/.test(value) &&
    !/[^\n\t\x20-\uffff]|[ \t]\n/.test(value)
  );
}

function block(text: string, indent: string): string {
  const ends = text.endsWith('\n');
  if (ends && text.endsWith('\n\n')) return ` ${JSON.stringify(text)}\n`;
  const lines = (ends ? text.slice(0, -1) : text).split('\n');
  return ` |${ends ? '' : '-'}\n${lines.map((line) => (line ? indent + line : '')).join('\n')}\n`;
}

function entry(value: unknown, indent: string): string {
  if (Array.isArray(value)) return value.length === 0 ? ' []\n' : `\n${list(value, indent)}`;
  if (value !== null && typeof value === 'object') {
    return Object.keys(value).length === 0 ? ' {}\n' : `\n${map(value, `${indent}  `)}`;
  }
  return isBlock(value) ? block(value, `${indent}  `) : ` ${scalar(value)}\n`;
}

function list(items: readonly unknown[], indent: string): string {
  return items
    .map((item) => {
      const isMap = item !== null && typeof item === 'object' && !Array.isArray(item);
      if (!isMap || Object.keys(item).length === 0) {
        return `${indent}-${entry(item, Array.isArray(item) ? `${indent}  ` : indent)}`;
      }
      return `${indent}- ${map(item, `${indent}  `).slice(indent.length + 2)}`;
    })
    .join('');
}

function map(object: object, indent: string): string {
  return Object.entries(object)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${indent}${scalar(key)}:${entry(value, indent)}`)
    .join('');
}

const first = ['apiVersion', 'kind', 'metadata', 'spec', 'status'];

/** The manifest of an object, without the notes about who wrote which field. */
export function manifest(object: object): string {
  const { metadata, ...rest } = object as Record<string, unknown>;
  const { managedFields: _, ...kept } = (metadata ?? {}) as Record<string, unknown>;
  const all: Record<string, unknown> = { ...rest, metadata: kept };
  const keys = [
    ...first.filter((key) => key in all),
    ...Object.keys(all).filter((key) => !first.includes(key)),
  ];
  return map(Object.fromEntries(keys.map((key) => [key, all[key]])), '');
}
