import { useSignal } from '@preact/signals';
import { refusalOf } from '../access';
import { readManifests } from '../editor/manifest';
import { previewYaml } from '../editor/preview';
import { editorWords } from '../editor/words';
import { project } from '../frame/project';
import type { Kind } from '../kinds';
import type { KubeObject } from '../live/protocol';
import { partsOf } from './beside';
import type { ManifestForm } from './job_form';
import { Lacks } from './lacks';
import { home, sendForm } from './send';
import { createWords } from './words';

interface SendProps {
  form: ManifestForm;
  kind: Kind;
  /** After everything was created. */
  done: (objects: readonly KubeObject[]) => void;
  /** Takes a text back into the form, or says why it cannot. */
  apply: (text: string) => string | undefined;
}

/** What is to be said of a text before it is sent. */
export function notesOf(text: string) {
  const { manifests } = readManifests(partsOf(text).text, editorWords.peek());
  return <Lacks value={manifests[0]?.value} />;
}

/** To the first field that keeps the form from being sent. */
function goToError(): void {
  // Errors are drawn first, then gone to.
  requestAnimationFrame(() => {
    const field = document.querySelector<HTMLElement>('main [aria-invalid="true"]');
    const card = field?.closest('details');
    if (card) card.open = true;
    field?.focus();
  });
}

/** What becomes of a form: its text is shown, or it is sent. */
export function SendButtons({ form, kind, done, apply }: SendProps) {
  const t = createWords.value;
  const busy = useSignal(false);
  const namespace = form.namespace.value || project.value || 'default';
  const reason = refusalOf({
    verb: 'create',
    group: kind.group,
    resource: kind.plural,
    namespace,
  });
  const create = async () => {
    if (!form.check()) {
      goToError();
      return;
    }
    busy.value = true;
    await sendForm(form, done);
    busy.value = false;
  };
  const preview = () =>
    previewYaml({ text: form.whole(), project: home(), created: done, apply, notes: notesOf });
  return (
    <div class="bar">
      <button type="button" class="outlined" onClick={preview}>
        {editorWords.value.preview}
      </button>
      {reason && <small>{reason}</small>}
      <button
        type="button"
        class="primary"
        disabled={busy.value || reason !== ''}
        onClick={() => void create()}
      >
        {busy.value ? t.creating : t.create}
      </button>
    </div>
  );
}
