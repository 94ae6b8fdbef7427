import './create.css';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { stringify } from 'yaml';
import { includeProject, project } from '../frame/project';
import { words } from '../i18n';
import { type Kind, type ListPage, listKinds } from '../kinds';
import type { KubeObject } from '../live/protocol';
import { goTo, listHref } from '../route';
import { RefusalBar } from '../ui/refusal';
import { cloneText } from './clone';
import { chooseObject } from './import';
import { ManifestForm } from './job_form';
import { onlyObject } from './send';
import { SendButtons } from './send_buttons';
import { createWords } from './words';

/** What the making of a kind consists of, besides its fields. */
export interface Making {
  page: ListPage;
  /** What the form begins with. */
  start: object;
  /** The required fields that are empty, by their paths as the server spells them. */
  missing: (value: Record<string, unknown>) => readonly string[];
  /** What of an existing object's spec belongs to that object alone. */
  cleaned?: (spec: Record<string, unknown>) => Record<string, unknown>;
}

/** Puts a text into the form; a reason when it cannot take it. */
function applyText(form: ManifestForm, { kind, group, version }: Kind, text: string) {
  const only = onlyObject(text);
  if (typeof only === 'string') return only;
  const apiVersion = group ? `${group}/${version}` : version;
  if (only.kind !== kind || only.apiVersion !== apiVersion) {
    return createWords.peek().otherKind(only.kind);
  }
  form.replace(text);
  return undefined;
}

interface HeadProps {
  form: ManifestForm;
  making: Making;
  done: (objects: readonly KubeObject[]) => void;
}

function Head({ form, making, done }: HeadProps) {
  const t = createWords.value;
  const kind = listKinds[making.page];
  const fill = (source: KubeObject & { spec?: Record<string, unknown> }) => {
    const spec = making.cleaned?.(source.spec ?? {}) ?? source.spec;
    const namespace = project.peek() === '' ? source.metadata.namespace : undefined;
    form.replace(cloneText({ ...source, ...(spec && { spec }) } as KubeObject, namespace));
  };
  return (
    <div class="bar">
      <div class="bar">
        <a href={listHref(making.page)}>‹ {words.value.back}</a>
        <button type="button" onClick={() => chooseObject(kind, fill)}>
          {t.importKind(kind.kind)}
        </button>
      </div>
      <SendButtons
        form={form}
        kind={kind}
        done={done}
        apply={(text) => applyText(form, kind, text)}
      />
    </div>
  );
}

/** The page on which an object is made: by its fields or by its text, which are one. */
export function MakePage(props: {
  making: Making;
  children: (form: ManifestForm) => ComponentChildren;
}) {
  const { making, children } = props;
  const form = useMemo(() => {
    const text = stringify(making.start, { indentSeq: false, compat: 'yaml-1.1' });
    return new ManifestForm(text, making.missing);
  }, []);
  const done = (objects: readonly KubeObject[]) => {
    // The list must show what was made.
    const [namespace] = objects.flatMap(({ metadata }) => metadata.namespace ?? []);
    if (namespace) includeProject(namespace);
    goTo(listHref(making.page));
  };
  return (
    <>
      <section class="card create-head" aria-labelledby="create-title">
        <header>
          <h1 id="create-title">{listKinds[making.page].kind}</h1>
        </header>
        <Head form={form} making={making} done={done} />
        <RefusalBar
          text={form.refusal.value}
          close={() => {
            form.refusal.value = '';
          }}
        />
      </section>
      {children(form)}
    </>
  );
}
