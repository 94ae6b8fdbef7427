import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { words } from '../i18n';
import { goTo } from '../route';
import { Dialog } from '../ui/dialog';
import { DownloadLink } from '../ui/download';
import { later } from '../ui/later';
import { showDialog } from '../ui/shown_dialog';
import { baseOf, editLimit, fileSize, inert, parentOf, shownName } from './files';
import { downloadHref, type OpenText, readText, type Unreadable, writeText } from './files_api';
import { volumeWords } from './words';

/** The editor is large: it comes when a file is opened. */
const TextEditor = later(async () => (await import('./text_editor')).TextEditor);

interface EditorProps {
  root: string;
  path: string;
  here: string;
}

/** Before what was typed is lost. */
function askToLeave(leave: () => void): void {
  showDialog((close) => {
    const t = volumeWords.value;
    return (
      <Dialog title={t.unsaved} onClose={close}>
        <div class="bar end">
          <button type="button" onClick={close}>
            {t.stay}
          </button>
          <button
            type="button"
            class="danger"
            onClick={() => {
              close();
              leave();
            }}
          >
            {t.leave}
          </button>
        </div>
      </Dialog>
    );
  });
}

/** A text file of a volume. What somebody else has saved since it was read is not overwritten unasked. */
export function FileEditor({ root, path, here }: EditorProps) {
  const t = volumeWords.value;
  const opened = useSignal<OpenText | Unreadable | undefined>(undefined);
  const problem = useSignal('');
  const load = () =>
    readText(root, path).then(
      (found) => {
        opened.value = found;
        problem.value = '';
      },
      (error: unknown) => {
        problem.value = error instanceof Error ? error.message : '';
      },
    );
  useEffect(() => void load(), []);
  const name = inert(shownName(baseOf(path)));
  const folder = `${here}?path=${parentOf(path)}`;
  const now = opened.value;
  return (
    <section aria-labelledby="edit-title">
      <h2 id="edit-title">
        {typeof now === 'object' && now.readOnly ? t.viewing(name) : t.editing(name)}
      </h2>
      {problem.value && (
        <p class="problem" role="alert">
          {inert(problem.value)}
        </p>
      )}
      {now === undefined && !problem.value && <p>{words.value.loading}</p>}
      {typeof now === 'object' ? (
        <OpenEditor
          key={now.tag}
          root={root}
          path={path}
          folder={folder}
          first={now}
          reload={load}
        />
      ) : (
        <>
          {now && <p>{now === 'large' ? t.tooLarge(fileSize(editLimit)) : t.notText}</p>}
          <div class="bar">
            {now && (
              <DownloadLink href={downloadHref(root, path)} name={name}>
                {t.download}
              </DownloadLink>
            )}
            <a href={folder}>{t.close}</a>
          </div>
        </>
      )}
    </section>
  );
}

function OpenEditor(props: {
  root: string;
  path: string;
  folder: string;
  first: OpenText;
  reload: () => Promise<void>;
}) {
  const { root, path, folder, first, reload } = props;
  const t = volumeWords.value;
  const text = useSignal(first.text);
  const kept = useSignal(first);
  const refused = useSignal('');
  const busy = useSignal(false);
  const changed = text.value !== kept.value.text;
  useEffect(() => {
    if (!changed) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [changed]);
  const save = async (tag: string) => {
    busy.value = true;
    const sent = text.peek();
    try {
      kept.value = { ...first, text: sent, tag: await writeText(root, path, sent, tag) };
      refused.value = '';
    } catch (error) {
      refused.value = error instanceof Error ? error.message : '';
    }
    busy.value = false;
  };
  const leave = () => {
    goTo(folder);
  };
  return (
    <>
      <div role="alert">
        {refused.value && (
          <div class="refusal">
            {inert(refused.value)}
            <span class="bar">
              <button type="button" onClick={() => void reload()}>
                {t.loadAgain}
              </button>
              <button type="button" onClick={() => void save('')}>
                {t.overwrite}
              </button>
            </span>
          </div>
        )}
      </div>
      {first.readOnly && <p class="cause">{t.readOnlyWhy}</p>}
      <TextEditor
        text={first.text}
        label={t.content}
        name={shownName(baseOf(path))}
        readOnly={first.readOnly}
        onInput={(next) => {
          text.value = next;
        }}
      />
      <div class="bar end">
        <span role="status">
          {busy.value ? t.saving : !changed && kept.value !== first && t.saved}
        </span>
        <button type="button" onClick={() => (changed ? askToLeave(leave) : leave())}>
          {t.close}
        </button>
        {!first.readOnly && (
          <button
            type="button"
            class="primary"
            disabled={!changed || busy.value}
            onClick={() => void save(kept.peek().tag)}
          >
            {t.save}
          </button>
        )}
      </div>
    </>
  );
}
