// What images mean on this machine, as `trainyard image map` has written it down. No screen in here.

export interface ImageMap {
  pattern: string;
  kind: string;
  folder: string;
}

/** What cannot be read is left out. */
export function readImageMaps(data: Record<string, string> | undefined): ImageMap[] {
  try {
    const list = JSON.parse(data?.['maps.json'] ?? '[]') as unknown;
    if (!Array.isArray(list)) return [];
    return list.flatMap((each: { pattern?: unknown; kind?: unknown; folder?: unknown } | null) =>
      typeof each?.pattern === 'string'
        ? [
            {
              pattern: each.pattern,
              kind: String(each.kind ?? ''),
              folder: String(each.folder ?? ''),
            },
          ]
        : [],
    );
  } catch {
    return [];
  }
}

/** `*` stands for anything, `?` for one character. */
function matches(pattern: string, text: string): boolean {
  const escaped = pattern.replace(/[.+^${}()|\\]/g, '\\$&');
  const expression = escaped.replace(/\*/g, '.*').replace(/\?/g, '.');
  try {
    return new RegExp(`^${expression}$`).test(text);
  } catch {
    return false;
  }
}

function withoutTag(image: string): string {
  const [name = ''] = image.split('@');
  return name.replace(/:[^/:]*$/, '');
}

/** Of those that match, the last counts. */
export function mapOf(image: string, maps: readonly ImageMap[]): ImageMap | undefined {
  return maps.findLast(
    ({ pattern }) => matches(pattern, image) || matches(pattern, withoutTag(image)),
  );
}
