// What a job brings along: a ConfigMap with its script, say. The form shows the job; both are made. No screen in here.
import { edited, setIn } from './document';

const companions = new Set(['ConfigMap', 'Secret', 'PersistentVolumeClaim']);

export interface Parts {
  text: string;
  /** The manifests of the others; empty: there are none. */
  beside: string;
}

function kindOf(text: string): string {
  return /^kind: *['"]?(\w+)/m.exec(text)?.[1] ?? '';
}

function documentsOf(text: string): string[] {
  return text.split(/^---[ \t]*\n/m).filter((each) => each.trim() !== '');
}

/** A text with one object and what it brings along, in any order; any other text stays one. */
export function partsOf(text: string): Parts {
  const documents = documentsOf(text);
  const [main, ...more] = documents.filter((each) => !companions.has(kindOf(each)));
  if (documents.length < 2 || main === undefined || more.length > 0) return { text, beside: '' };
  return { text: main, beside: documents.filter((each) => each !== main).join('---\n') };
}

/** The other way round. What is brought along is made where the object is. */
export function wholeOf({ text, beside }: Parts, namespace: string): string {
  if (beside === '') return text;
  const placed = documentsOf(beside).map((each) =>
    namespace
      ? edited(each, (document) => setIn(document, ['metadata', 'namespace'], namespace))
      : each,
  );
  const end = text.endsWith('\n') ? '' : '\n';
  return `${text}${end}---\n${placed.join('---\n')}`;
}

/** `ConfigMap ddp-script`, for people. */
export function namesBeside(beside: string): string[] {
  return documentsOf(beside).map((each) => {
    const name = /^ +name: *['"]?([^\s'"]+)/m.exec(each)?.[1] ?? '';
    return `${kindOf(each)} ${name}`;
  });
}
