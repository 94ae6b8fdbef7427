import { words } from '../i18n';
import { Dialog } from '../ui/dialog';
import { refusal } from '../ui/refusal';
import { showDialog } from '../ui/shown_dialog';
import { encodeName, type FileEntry, inert } from './files';
import { lookAt } from './files_api';
import { upload } from './uploads';
import { volumeWords } from './words';

/** The names that the folder has. What is not among the first of them the server refuses to replace. */
async function namesIn(root: string, folder: string): Promise<Set<string>> {
  const { entries = [] } = await lookAt(root, folder).catch(() => ({ entries: [] as FileEntry[] }));
  return new Set(entries.map(({ encoded }) => encoded));
}

/** Uploads, and asks before that replaces anything. `folders` among what was dropped are told of. */
export function offerUpload(
  root: string,
  folder: string,
  files: readonly File[],
  folders: readonly string[] = [],
): void {
  refusal.value =
    folders.length > 0 ? volumeWords.peek().noFolders(folders.map(inert).join(', ')) : '';
  const wanted = files.filter(({ name }) => !folders.includes(name));
  void ask(root, folder, wanted);
}

async function ask(root: string, folder: string, files: readonly File[]): Promise<void> {
  const names = await namesIn(root, folder);
  const isThere = ({ name }: File) => names.has(encodeName(name));
  const there = files.filter(isThere);
  upload(
    root,
    folder,
    files.filter((file) => !isThere(file)),
    false,
  );
  if (there.length === 0) return;
  showDialog((close) => {
    const t = volumeWords.value;
    return (
      <Dialog title={t.replaceTitle} onClose={close}>
        <p>{t.replaceText(there.map(({ name }) => inert(name)).join(', '))}</p>
        <div class="bar end">
          <button type="button" onClick={close}>
            {there.length < files.length ? t.skip : words.value.cancel}
          </button>
          <button
            type="button"
            class="danger"
            onClick={() => {
              close();
              upload(root, folder, there, true);
            }}
          >
            {t.replace}
          </button>
        </div>
      </Dialog>
    );
  });
}
