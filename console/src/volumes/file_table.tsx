import { words } from '../i18n';
import { goTo } from '../route';
import { Age } from '../time';
import { DownloadLink } from '../ui/download';
import { Menu, MenuItem } from '../ui/menu';
import { Scroll } from '../ui/scroll';
import type { FolderProps } from './file_browser';
import { askForName, askRemoval } from './file_dialogs';
import {
  editLimit,
  encodeName,
  type FileEntry,
  type FileOrder,
  fileSize,
  inert,
  joined,
  unreadable,
} from './files';
import { downloadHref, removeFile, renameFile } from './files_api';
import { volumeWords } from './words';

interface Order {
  by: FileOrder;
  descending: boolean;
}

interface TableProps extends FolderProps {
  entries: readonly FileEntry[];
  readOnly: boolean;
  order: Order;
  reorder: (next: Order) => void;
  reload: () => Promise<void>;
}

/** Drawn, since not every machine has letters for them. */
const signs = {
  file: 'M4 1.5h5.5L13 5v9.5H4zM9 1.5V5.5h4',
  folder: 'M1.5 13.5v-10h4.5l1.5 2h7v8z',
  link: 'M6.5 9.5l3-3M5 7L3 9a2.8 2.8 0 0 0 4 4l2-2M11 9l2-2a2.8 2.8 0 0 0-4-4L7 5',
  special: 'M8 1.5L14.5 8 8 14.5 1.5 8z',
} as const;

function TypeSign({ type }: { type: FileEntry['type'] }) {
  const word = volumeWords.value.types[type];
  return (
    <svg class={`type ${type}`} viewBox="0 0 16 16" role="img" aria-label={word}>
      <title>{word}</title>
      <path d={signs[type]} />
    </svg>
  );
}

function SortHead({
  by,
  text,
  order,
  reorder,
}: Pick<TableProps, 'order' | 'reorder'> & { by: FileOrder; text: string }) {
  const current = order.by === by;
  const direction = order.descending ? 'descending' : 'ascending';
  return (
    <th scope="col" aria-sort={current ? direction : 'none'}>
      <button
        type="button"
        class="head"
        onClick={() => reorder({ by, descending: current && !order.descending })}
      >
        {text}
        {current && (order.descending ? ' ↓' : ' ↑')}
      </button>
    </th>
  );
}

/** Folders lead into themselves, texts open, other files are downloaded; links are followed by the menu. */
function Name({ entry, root, path, here }: FolderProps & { entry: FileEntry }) {
  const t = volumeWords.value;
  const own = joined(path, entry.encoded);
  const text = inert(entry.name);
  if (entry.type === 'folder') {
    return (
      <a href={`${here}?path=${own}`} title={t.opensFolder}>
        {text}
      </a>
    );
  }
  if (entry.type === 'file' && !unreadable(entry)) {
    return (
      <a href={`${here}?edit=${own}`} title={t.opensText}>
        {text}
      </a>
    );
  }
  if (entry.type === 'file') {
    return (
      <DownloadLink href={downloadHref(root, own)} name={text} title={t.downloads}>
        {text}
      </DownloadLink>
    );
  }
  return <>{text}</>;
}

/** Why a file cannot be edited here; undefined when it can. */
function whyNoEdit(entry: FileEntry): string | undefined {
  const t = volumeWords.value;
  const kind = unreadable(entry);
  if (kind === 'large') return t.tooLarge(fileSize(editLimit));
  return kind && t.notText;
}

function Actions({ entry, ...props }: Omit<TableProps, 'entries'> & { entry: FileEntry }) {
  const { root, path, here, readOnly, reload } = props;
  const t = volumeWords.value;
  const own = joined(path, entry.encoded);
  const name = inert(entry.name);
  const why = readOnly ? t.readOnlyWhy : undefined;
  const changed = async (change: Promise<unknown>) => {
    await change;
    await reload();
  };
  return (
    <>
      {entry.type === 'link' && (
        <MenuItem
          onClick={() => {
            goTo(`${here}?path=${own}`);
          }}
        >
          {t.openFiles}
        </MenuItem>
      )}
      {(entry.type === 'file' || entry.type === 'link') && (
        <DownloadLink
          class="item"
          href={downloadHref(root, own)}
          name={name}
          onClick={(link) => link.closest<HTMLElement>('[popover]')?.hidePopover()}
        >
          {t.download}
        </DownloadLink>
      )}
      {entry.type === 'file' && (
        <MenuItem
          reason={why ?? whyNoEdit(entry)}
          onClick={() => {
            goTo(`${here}?edit=${own}`);
          }}
        >
          {t.edit}
        </MenuItem>
      )}
      <MenuItem
        reason={why}
        onClick={() =>
          askForName(t.renameTitle(name), entry.name, (chosen) =>
            changed(renameFile(root, own, joined(path, encodeName(chosen)))),
          )
        }
      >
        {t.rename}
      </MenuItem>
      <MenuItem
        class="red"
        reason={why}
        onClick={() => askRemoval(entry, () => changed(removeFile(root, own)))}
      >
        {words.value.delete}
      </MenuItem>
    </>
  );
}

export function FileTable(props: TableProps) {
  const { entries, order, reorder } = props;
  const t = volumeWords.value;
  return (
    <Scroll label={t.files}>
      <table class="stack files">
        <thead>
          <tr>
            <td class="narrow" />
            <SortHead by="name" text={t.name} order={order} reorder={reorder} />
            <SortHead by="bytes" text={t.size} order={order} reorder={reorder} />
            <SortHead by="modified" text={t.modified} order={order} reorder={reorder} />
            <th scope="col">{t.mode}</th>
            <th scope="col">{t.owner}</th>
            <th scope="col" class="narrow">
              {words.value.actions}
            </th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.encoded}>
              <td class="narrow">
                <TypeSign type={entry.type} />
              </td>
              <th scope="row">
                <Name entry={entry} {...props} />
                {entry.target !== undefined && (
                  <span class="target"> {t.linkTo(inert(entry.target))}</span>
                )}
              </th>
              <td class="keep">{entry.bytes === undefined ? '-' : fileSize(entry.bytes)}</td>
              <td>
                <Age at={entry.modified} />
              </td>
              <td class="keep">{entry.mode}</td>
              <td class="keep">{entry.owner}</td>
              <td class="narrow">
                <Menu face="⋮" label={words.value.actionsOf(inert(entry.name))} class="plain">
                  {() => <Actions {...props} entry={entry} />}
                </Menu>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
