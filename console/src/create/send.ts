// What the pages of all kinds do with a form: take a text back, send it.
import { type Manifest, readManifests } from '../editor/manifest';
import { submit } from '../editor/submit';
import { editorWords } from '../editor/words';
import { project } from '../frame/project';
import type { KubeObject } from '../live/protocol';
import { briefAtField } from '../ui/brief';
import type { ManifestForm } from './job_form';
import { createWords } from './words';

/** Where objects are made that name no project. */
export function home(): string {
  return project.peek() || 'default';
}

/** The object of a text that is to fill in a form, or why it cannot. */
export function onlyObject(text: string): Manifest | string {
  const { manifests, problems } = readManifests(text, editorWords.peek());
  const [only] = manifests;
  if (problems[0]) return problems[0].message;
  return only && manifests.length === 1 ? only : createWords.peek().otherObjects;
}

/** What the server says against a form stays with the form. */
export async function sendForm(
  form: ManifestForm,
  done: (objects: readonly KubeObject[]) => void,
): Promise<void> {
  const outcome = await submit(form.whole(), home());
  if ('created' in outcome) {
    done(outcome.created);
    return;
  }
  form.refusal.value = outcome.refusal || outcome.problems.map(({ message }) => message).join('\n');
  form.told.value = new Map(
    (outcome.causes ?? []).map(({ field = '', message = '' }) => [field, briefAtField(message)]),
  );
}
