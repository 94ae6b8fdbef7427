import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { KubeObject } from '../live/protocol';
import { Dialog } from '../ui/dialog';
import { later } from '../ui/later';
import { RefusalBar } from '../ui/refusal';
import { showDialog } from '../ui/shown_dialog';
import type { Problem } from './manifest';
import { submit } from './submit';
import { editorWords } from './words';

/** CodeMirror is the heaviest part of the console: who only fills in a form does not load it. */
const YamlEditor = later(async () => (await import('./yaml_editor')).YamlEditor);

export interface Preview {
  /** What the editor shows at first. */
  text: string;
  /** Where objects are made that name no project themselves. */
  project: string;
  /** After everything in the text was created; the dialog is closed then. */
  created: (objects: KubeObject[]) => void;
  /** Takes the text back into a form, or says why it cannot. Without it there is no such button. */
  apply?: (text: string) => string | undefined;
  /** What is to be said of the text before it is sent. */
  notes?: (text: string) => ComponentChildren;
}

/**
 * The dialog “Preview YAML” of every create page: the text of the form, to be edited or replaced. Create sends the
 * text, not the form: first as a dry run, whose refusals are drawn on their lines.
 */
export function previewYaml(preview: Preview): void {
  showDialog((close) => <PreviewDialog {...preview} close={close} />);
}

function PreviewDialog({
  text: first,
  project,
  created,
  apply,
  notes,
  close,
}: Preview & { close: () => void }) {
  const t = editorWords.value;
  const text = useSignal(first);
  const marks = useSignal<readonly Problem[]>([]);
  const refusal = useSignal('');
  const busy = useSignal(false);
  const broken = useSignal(false);

  const create = async () => {
    busy.value = true;
    const outcome = await submit(text.peek(), project);
    busy.value = false;
    if ('created' in outcome) {
      close();
      created(outcome.created);
      return;
    }
    marks.value = outcome.problems;
    // What is drawn on its lines need not be said twice.
    refusal.value = outcome.problems.length > 0 && !outcome.made ? '' : outcome.refusal;
  };

  return (
    <Dialog title={t.preview} large onClose={close}>
      <RefusalBar
        text={refusal.value}
        close={() => {
          refusal.value = '';
        }}
      />
      <YamlEditor
        text={first}
        label={t.preview}
        marks={marks.value}
        focus
        onInput={(next) => {
          text.value = next;
        }}
        onProblems={(found) => {
          broken.value = found.some(({ severity }) => severity === 'error');
        }}
      />
      {notes?.(text.value)}
      <div class="bar end">
        <button type="button" onClick={close}>
          {t.cancel}
        </button>
        {apply && (
          <button
            type="button"
            disabled={broken.value}
            onClick={() => {
              const reason = apply(text.peek());
              if (reason === undefined) close();
              else refusal.value = reason;
            }}
          >
            {t.toForm}
          </button>
        )}
        <button
          type="button"
          class="primary"
          disabled={broken.value || busy.value}
          onClick={() => void create()}
        >
          {busy.value ? t.creating : t.create}
        </button>
      </div>
    </Dialog>
  );
}
