import './volumes.css';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { words } from '../i18n';
import { objectHref, query } from '../route';
import { Pager, pageSize } from '../ui/pager';
import { pageOf } from '../ui/paging';
import { askForName } from './file_dialogs';
import { FileEditor } from './file_editor';
import { FileTable } from './file_table';
import {
  crumbsOf,
  encodeName,
  type FileOrder,
  type FileView,
  fileSize,
  filesPath,
  inert,
  joined,
  ordered,
  pathInQuery,
} from './files';
import { lookAt, makeFile, makeFolder } from './files_api';
import { offerUpload } from './offer_upload';
import { UploadList } from './upload_list';
import { landed } from './uploads';
import { volumeWords } from './words';

/** Jobs write files without telling anybody: what is looked at is looked at again. */
const pace = 5000;
/** Larger folders are read again when somebody asks for it. */
const followed = 1000;

/** A volume's files, or one of them to be edited: the address says which. */
export function FileBrowser({ namespace, name }: { namespace: string; name: string }) {
  const edited = pathInQuery(query.value.replace(/(^|&)edit=/, '$1path='));
  const editing = /(^|&)edit=/.test(query.value);
  const here = objectHref('volumes', namespace, name, 'files');
  const root = filesPath(namespace, name);
  if (editing) return <FileEditor key={edited} root={root} path={edited} here={here} />;
  const path = pathInQuery(query.value);
  return <FolderPage key={path} volume={name} root={root} path={path} here={here} />;
}

export interface FolderProps {
  root: string;
  /** The folder, encoded. */
  path: string;
  /** The address of this page, without what follows the question mark. */
  here: string;
}

function Crumbs({ volume, path, here }: { volume: string; path: string; here: string }) {
  const crumbs = crumbsOf(volume, path);
  return (
    <nav class="crumbs" aria-label={volumeWords.value.path}>
      <ol>
        {crumbs.map((crumb, index) => (
          <li key={crumb.path}>
            {index === crumbs.length - 1 ? (
              <span aria-current="location">{crumb.text}</span>
            ) : (
              <a href={`${here}?path=${crumb.path}`}>{crumb.text}</a>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** What the folder holds, read again from time to time. The text of a refusal instead, where there is one. */
function useFolder(root: string, path: string) {
  const view = useSignal<FileView | undefined>(undefined);
  const problem = useSignal('');
  const live = useRef(true);
  const reload = async () => {
    try {
      const found = await lookAt(root, path);
      if (!live.current) return;
      view.value = found;
      problem.value = '';
    } catch (error) {
      if (live.current) problem.value = error instanceof Error ? error.message : '';
    }
  };
  const more = async () => {
    const now = view.peek();
    const found = await lookAt(root, path, now?.entries?.at(-1)?.encoded ?? '');
    if (!live.current || !now) return;
    view.value = { ...found, entries: [...(now.entries ?? []), ...(found.entries ?? [])] };
  };
  useEffect(() => {
    live.current = true;
    void reload();
    const timer = setInterval(() => {
      const small = (view.peek()?.total ?? 0) <= followed;
      if (document.visibilityState === 'visible' && small) void reload();
    }, pace);
    const dispose = landed.subscribe(() => void reload());
    return () => {
      live.current = false;
      clearInterval(timer);
      dispose();
    };
  }, []);
  return { view: view.value, problem: problem.value, reload, more };
}

function Tools(props: FolderProps & { view: FileView | undefined; reload: () => Promise<void> }) {
  const { root, path, view, reload } = props;
  const t = volumeWords.value;
  const chooser = useRef<HTMLInputElement>(null);
  const closed = view?.readOnly !== false;
  const why = view?.readOnly ? t.readOnlyWhy : undefined;
  const make = (title: string, kind: (root: string, path: string) => Promise<unknown>) =>
    askForName(title, '', async (chosen) => {
      await kind(root, joined(path, encodeName(chosen)));
      await reload();
    });
  return (
    <div class="bar">
      <button
        type="button"
        class="primary"
        disabled={closed}
        title={why}
        onClick={() => chooser.current?.click()}
      >
        {t.upload}
      </button>
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        aria-label={t.upload}
        onChange={({ currentTarget }) => {
          offerUpload(root, path, [...(currentTarget.files ?? [])]);
          // The same file again is a choice, too.
          currentTarget.value = '';
        }}
      />
      <button
        type="button"
        disabled={closed}
        title={why}
        onClick={() => make(t.newFolder, makeFolder)}
      >
        {t.newFolder}
      </button>
      <button type="button" disabled={closed} title={why} onClick={() => make(t.newFile, makeFile)}>
        {t.newFile}
      </button>
      <button type="button" onClick={() => void reload()}>
        {t.reload}
      </button>
    </div>
  );
}

function FolderPage({ volume, root, path, here }: FolderProps & { volume: string }) {
  const t = volumeWords.value;
  const { view, problem, reload, more } = useFolder(root, path);
  const order = useSignal<{ by: FileOrder; descending: boolean }>({
    by: 'name',
    descending: false,
  });
  const search = useSignal('');
  const page = useSignal(0);
  const dragged = useSignal(false);
  const entries = view?.entries ?? [];
  const needle = search.value.toLowerCase();
  const found = entries.filter(({ name }) => name.toLowerCase().includes(needle));
  const shown = pageOf(
    ordered(found, order.value.by, order.value.descending),
    page.value,
    pageSize.value,
  );
  const open = view?.readOnly === false;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is one way, the button “Upload” the other
    <div
      class={dragged.value ? 'folder dragged' : 'folder'}
      onDragOver={(event) => {
        if (!open || !event.dataTransfer?.types.includes('Files')) return;
        event.preventDefault();
        dragged.value = true;
      }}
      onDragLeave={(event) => {
        if (
          event.relatedTarget instanceof Node &&
          event.currentTarget.contains(event.relatedTarget)
        )
          return;
        dragged.value = false;
      }}
      onDrop={(event) => {
        dragged.value = false;
        if (!open || !event.dataTransfer) return;
        event.preventDefault();
        offerUpload(root, path, [...event.dataTransfer.files], foldersIn(event.dataTransfer));
      }}
    >
      <Crumbs volume={volume} path={path} here={here} />
      <div class="filters">
        <input
          type="search"
          aria-label={t.searchFiles}
          placeholder={t.searchFiles}
          onInput={(event) => {
            search.value = event.currentTarget.value;
            page.value = 0;
          }}
        />
        <Tools root={root} path={path} here={here} view={view} reload={reload} />
      </div>
      {view?.readOnly && <p class="cause">{t.readOnlyWhy}</p>}
      <UploadList root={root} />
      {problem && (
        <p class="problem" role="alert">
          {inert(problem)}
        </p>
      )}
      {view?.entries && (
        <FileTable
          root={root}
          path={path}
          here={here}
          entries={shown.items}
          readOnly={view.readOnly}
          order={order.value}
          reorder={(next) => {
            order.value = next;
          }}
          reload={reload}
        />
      )}
      {!view && !problem && <p>{words.value.loading}</p>}
      {view && entries.length === 0 && (
        <p class="empty">{open ? t.emptyFolder : t.emptyReadOnly}</p>
      )}
      {view && (
        <p class="summary">
          {t.count(entries.length, view.total ?? 0)} · {t.free(fileSize(view.freeBytes))}{' '}
          {entries.length < (view.total ?? 0) && (
            <button type="button" onClick={() => void more()}>
              {t.more}
            </button>
          )}
        </p>
      )}
      <Pager
        shown={shown}
        go={(next) => {
          page.value = next;
        }}
      />
      {dragged.value && <p class="drop">{t.dropHere}</p>}
    </div>
  );
}

/** The names of the folders among what is dropped: the browser would send them as files that cannot be read. */
function foldersIn(transfer: DataTransfer): string[] {
  return [...transfer.items].flatMap((item) => {
    const entry = item.webkitGetAsEntry();
    return entry?.isDirectory ? [entry.name] : [];
  });
}
