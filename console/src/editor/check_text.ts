import { checkManifest } from './check';
import { type Problem, problemAt, rangeOf, readManifests } from './manifest';
import { loadKindSchema } from './schema';
import type { EditorWords } from './words';

/** Beyond this a check would hold up typing; the server checks it anyway. */
const longest = 200_000;

/** Everything that can be said against the text without the server's word on it. */
export async function checkText(text: string, t: EditorWords): Promise<Problem[]> {
  if (text.length > longest) return [];
  const { manifests, problems } = readManifests(text, t);
  const found = [...problems];
  for (const manifest of manifests) {
    const { apiVersion, kind, value } = manifest;
    if (!value) continue;
    const schema = await loadKindSchema(apiVersion, kind);
    if (schema) {
      found.push(...checkManifest(text, manifest, schema, t));
    } else {
      const wrong = apiVersion && kind ? t.unknownKind(kind, apiVersion) : t.noKind;
      const range = rangeOf(manifest, [apiVersion ? 'kind' : 'apiVersion'], 'value');
      found.push(problemAt(text, range, wrong, 'warning'));
    }
  }
  return found;
}
