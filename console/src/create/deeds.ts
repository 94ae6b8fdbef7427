// What the page of a job's form does: fill it in, take a text back, keep what was not sent.
import { stringify } from 'yaml';
import { ask } from '../api';
import { chooseProject, includeProject, project } from '../frame/project';
import { type CreatableJob, objectPath } from '../kinds';
import type { KubeObject } from '../live/protocol';
import { createJobHref, goTo, jobsHref } from '../route';
import { partsOf } from './beside';
import { cloneText } from './clone';
import { JobForm } from './job_form';
import { creatableKind, formKind } from './kind';
import { onlyObject } from './send';
import { startOf } from './starts';
import { createWords } from './words';

/** A text on its way from the preview of one kind to the form of another. */
let carried: string | undefined;

function startText(kind: CreatableJob): string {
  const text = carried ?? stringify(startOf(kind), { indentSeq: false, compat: 'yaml-1.1' });
  carried = undefined;
  return text;
}

/** What was filled in and not sent, by kind: who leaves the page by mistake finds it again. */
const unsent = new Map<CreatableJob, string>();

export function newForm(kind: CreatableJob): JobForm {
  return new JobForm(kind, startText(kind));
}

/** When the form before it is gone: a page that takes the place of another is drawn before that one is left. */
export function offerUnsent(form: JobForm): void {
  form.earlier.value = unsent.get(form.kind);
}

export function keepUnsent(form: JobForm): void {
  if (form.isChanged()) unsent.set(form.kind, form.whole());
}

/** Back to the list, which must show what was made. */
export function finish(form: JobForm, objects: readonly KubeObject[]): void {
  form.sent();
  unsent.delete(form.kind);
  const [namespace] = objects.flatMap(({ metadata }) => metadata.namespace ?? []);
  if (namespace) includeProject(namespace);
  goTo(jobsHref);
}

/** Puts a text into the form, or into that of its kind; a reason when no form can take it. */
export function applyText(form: JobForm, text: string): string | undefined {
  const only = onlyObject(partsOf(text).text);
  if (typeof only === 'string') return only;
  const kind = formKind(only.apiVersion, only.kind);
  if (!kind) return createWords.peek().otherKind(only.kind);
  if (kind === form.kind) {
    form.replace(text);
  } else {
    carried = text;
    goTo(createJobHref(kind));
  }
  return undefined;
}

/** Everything as in another job, but for its name. */
export function fillIn(form: JobForm, source: KubeObject): void {
  const { namespace = '' } = source.metadata;
  form.replace(cloneText(source, project.peek() === '' ? namespace : undefined));
}

/** Fills in the job that the address names as NAMESPACE/NAME. */
export async function importFrom(form: JobForm, from: string): Promise<void> {
  const [namespace = '', name = ''] = from.split('/');
  try {
    const path = objectPath(creatableKind(form.kind), namespace, name);
    const source = await ask<KubeObject>('GET', path);
    if (project.peek() !== '' && project.peek() !== namespace) chooseProject(namespace);
    fillIn(form, source);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    form.refusal.value = createWords.peek().notFound(from, reason);
  }
}
