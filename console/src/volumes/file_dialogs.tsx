// What is asked before a file is made, named or removed.
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { words } from '../i18n';
import { Dialog } from '../ui/dialog';
import { showDialog } from '../ui/shown_dialog';
import { type FileEntry, inert, nameProblem } from './files';
import { volumeWords } from './words';

interface QuestionProps {
  title: string;
  close: () => void;
  act: () => Promise<unknown>;
  /** What the button says that does it. */
  verb: string;
  danger?: boolean;
  /** Undefined: it may be done. */
  problem?: string | undefined;
  children: preact.ComponentChildren;
}

/** Stays open, with all that was typed, when the server says no. */
export function Question({ title, close, act, verb, danger, problem, children }: QuestionProps) {
  const refused = useSignal('');
  const busy = useSignal(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (problem !== undefined || busy.peek()) return;
    busy.value = true;
    try {
      await act();
      close();
    } catch (error) {
      refused.value = error instanceof Error ? error.message : '';
    }
    busy.value = false;
  };
  return (
    <Dialog title={title} onClose={close}>
      <form onSubmit={(event) => void submit(event)}>
        {children}
        <div role="alert">{refused.value && <p class="refusal">{inert(refused.value)}</p>}</div>
        <div class="bar end">
          <button type="button" onClick={close}>
            {words.value.cancel}
          </button>
          <button
            type="submit"
            class={danger ? 'danger' : 'primary'}
            disabled={problem !== undefined || busy.value}
          >
            {verb}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function NameDialog(props: {
  title: string;
  first: string;
  act: (name: string) => Promise<unknown>;
  close: () => void;
}) {
  const t = volumeWords.value;
  const id = useId();
  const name = useSignal(props.first);
  const problem = nameProblem(name.value);
  const touched = name.value !== props.first;
  return (
    <Question
      title={props.title}
      close={props.close}
      act={() => props.act(name.peek())}
      verb={t.ok}
      problem={problem && t.names[problem]}
    >
      <label for={id}>{t.newName}</label>
      <input
        id={id}
        type="text"
        class="wide"
        value={name.value}
        autocomplete="off"
        spellcheck={false}
        aria-describedby={`${id}-problem`}
        onInput={(event) => {
          name.value = event.currentTarget.value;
        }}
      />
      <p class="problem" id={`${id}-problem`}>
        {touched && problem && t.names[problem]}
      </p>
    </Question>
  );
}

export function askForName(
  title: string,
  first: string,
  act: (name: string) => Promise<unknown>,
): void {
  showDialog((close) => <NameDialog title={title} first={first} act={act} close={close} />);
}

export function askRemoval(entry: FileEntry, act: () => Promise<unknown>): void {
  showDialog((close) => {
    const t = volumeWords.value;
    const texts = {
      file: t.removeFile,
      folder: t.removeFolder,
      link: t.removeLink,
      special: t.removeFile,
    };
    return (
      <Question
        title={t.removeTitle(inert(entry.name))}
        close={close}
        act={act}
        verb={words.value.delete}
        danger
      >
        <p>{texts[entry.type]}</p>
      </Question>
    );
  });
}
