import '../create/create.css';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { refusalOf } from '../access';
import { ask } from '../api';
import { copyName } from '../create/clone';
import { chooseObject } from '../create/import';
import { onlyObject } from '../create/send';
import { createWords } from '../create/words';
import { previewYaml } from '../editor/preview';
import { editorWords } from '../editor/words';
import { project } from '../frame/project';
import { words } from '../i18n';
import { listKinds, objectPath } from '../kinds';
import type { KubeObject } from '../live/protocol';
import { goTo, listHref } from '../route';
import { RefusalBar } from '../ui/refusal';
import { manifest } from '../ui/yaml';
import type { ConfigPage } from './config_actions';
import { configWords } from './words';

export interface FormPageProps<T extends KubeObject> {
  page: ConfigPage;
  title: string;
  /** What is changed; without it one is made. */
  changed?: T;
  /** What the form says. */
  object: () => T;
  /** Whether all is there; what is not is marked by the form when this was asked. */
  check: () => boolean;
  /** Takes an object into the form: an existing one, or what the text says. */
  take: (object: T) => void;
  children: ComponentChildren;
}

/** Where objects are made when all projects are shown. */
export function makingProject(): string {
  return project.value || 'default';
}

/** What is wrong with the name of an object, as it was typed. */
export function nameProblem(name: string): string | undefined {
  const t = configWords.value;
  if (name.trim() === '') return t.required;
  return /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(name.trim()) ? undefined : t.badName;
}

/** The text of the form, to be edited and created or taken back. */
function preview<T extends KubeObject>(
  object: T,
  take: (object: T) => void,
  done: () => void,
): void {
  previewYaml({
    text: manifest(object),
    project: makingProject(),
    created: done,
    apply: (text) => {
      const only = onlyObject(text);
      if (typeof only === 'string') return only;
      if (only.kind !== object.kind) return createWords.peek().otherKind(only.kind);
      take(only.value as unknown as T);
      return undefined;
    },
  });
}

/** What stands before the buttons that send it: where else the fields could come from. */
function Sources<T extends KubeObject>({ page, take }: Pick<FormPageProps<T>, 'page' | 'take'>) {
  const t = createWords.value;
  const kind = listKinds[page];
  const fill = (source: KubeObject) => {
    const { metadata } = source;
    take({ ...source, metadata: { ...metadata, name: copyName(metadata.name) } } as T);
  };
  return (
    <div class="bar">
      <a href={listHref(page)}>‹ {words.value.back}</a>
      <button type="button" onClick={() => chooseObject(kind, fill)}>
        {t.importKind(kind.kind)}
      </button>
    </div>
  );
}

/**
 * The page of a form whose fields are not the object's own, such as those of a Secret's base64: import, preview,
 * create or save, and what the server says to it.
 */
export function FormPage<T extends KubeObject>(props: FormPageProps<T>) {
  const { page, title, changed, object, check, take, children } = props;
  const refused = useSignal('');
  const busy = useSignal(false);
  const verb = changed ? 'update' : 'create';
  const namespace = changed?.metadata.namespace ?? makingProject();
  const reason = refusalOf({ verb, group: '', resource: page, namespace });
  const leave = () => {
    goTo(listHref(page));
  };
  const send = async () => {
    if (!check()) return;
    busy.value = true;
    const made = object();
    const path = objectPath(listKinds[page], namespace, made.metadata.name);
    try {
      if (changed) await ask('PUT', path, made);
      else await ask('POST', path.slice(0, path.lastIndexOf('/')), made);
      leave();
    } catch (error) {
      refused.value = error instanceof Error ? error.message : '';
    }
    busy.value = false;
  };
  return (
    <>
      <section class="card create-head" aria-labelledby="form-title">
        <header>
          <h1 id="form-title">{title}</h1>
        </header>
        <div class="bar">
          {changed ? (
            <a href={listHref(page)}>‹ {words.value.back}</a>
          ) : (
            <Sources page={page} take={take} />
          )}
          <div class="bar">
            {reason && <small>{reason}</small>}
            {changed ? (
              <button type="button" onClick={leave}>
                {words.value.cancel}
              </button>
            ) : (
              <button type="button" class="outlined" onClick={() => preview(object(), take, leave)}>
                {editorWords.value.preview}
              </button>
            )}
            <button
              type="button"
              class="primary"
              disabled={busy.value || reason !== ''}
              onClick={() => void send()}
            >
              {changed ? configWords.value.save : createWords.value.create}
            </button>
          </div>
        </div>
        <RefusalBar
          text={refused.value}
          close={() => {
            refused.value = '';
          }}
        />
      </section>
      {children}
    </>
  );
}
