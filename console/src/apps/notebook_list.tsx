import './apps.css';
import { project } from '../frame/project';
import { words } from '../i18n';
import { listKinds, resourceOf } from '../kinds';
import { type Column, HiddenColumns } from '../list/columns';
import { createdColumn, projectColumn } from '../list/common_columns';
import { byCreation, byLabel, byName } from '../list/list_state';
import { type ListOf, LiveList } from '../list/live_list';
import { useLive } from '../live/pool';
import { ClaimLinks } from '../objects/claim_links';
import { bytes, cores } from '../quantity';
import { makeHref, objectHref } from '../route';
import { amountsOfNotebook, claimsOfNotebook, imageOf, type Notebook, statusOfApp } from './app';
import { AppMenu, AppTrouble, OpenAndPause } from './app_actions';
import { appWords } from './words';

function limit(notebook: Notebook, name: string, spell: (value: number) => string): string {
  const value = amountsOfNotebook(notebook).get(name)?.limit;
  return value === undefined ? '-' : spell(value);
}

/** A check mark where it was asked for. */
function Ssh({ notebook }: { notebook: Notebook }) {
  if (!notebook.spec?.ssh?.enabled) return <>-</>;
  const text = appWords.value.sshOn;
  return (
    <span title={text}>
      <span aria-hidden="true">✓</span>
      <span class="hidden">{text}</span>
    </span>
  );
}

const columns: readonly Column<Notebook>[] = [
  projectColumn,
  createdColumn,
  {
    name: 'image',
    title: (t) => t.image,
    cell: (notebook) => imageOf(notebook) ?? '-',
    wraps: true,
  },
  {
    name: 'cpu',
    title: () => appWords.value.cpuLimit,
    cell: (notebook) => limit(notebook, 'cpu', cores),
  },
  {
    name: 'memory',
    title: () => appWords.value.memoryLimit,
    cell: (notebook) => limit(notebook, 'memory', bytes),
  },
  {
    name: 'ssh',
    title: () => appWords.value.ssh,
    cell: (notebook) => <Ssh notebook={notebook} />,
  },
  {
    name: 'claims',
    title: () => appWords.value.claims,
    cell: (notebook) => (
      <ClaimLinks
        namespace={notebook.metadata.namespace ?? ''}
        names={claimsOfNotebook(notebook)}
      />
    ),
    wraps: true,
  },
  {
    name: 'actions',
    title: (t) => t.actions,
    cell: (notebook) => <OpenAndPause page="notebooks" app={notebook} />,
  },
];

const list: ListOf<Notebook> = {
  filters: [
    byLabel,
    {
      name: 'phase',
      title: (t) => t.filters.phase,
      values: (notebook) => [statusOfApp(notebook)],
    },
  ],
  sorters: [byName, byCreation],
  columns,
  hidden: new HiddenColumns('hiddenColumns.notebooks', columns),
  phase: statusOfApp,
  href: ({ metadata }) => objectHref('notebooks', metadata.namespace ?? '', metadata.name),
  note: (notebook) => <AppTrouble app={notebook} />,
  menu: (notebook) => <AppMenu page="notebooks" app={notebook} />,
  menuTitle: (t) => t.more,
};

export function NotebookList() {
  const own = appWords.value;
  const lives = useLive<Notebook>([resourceOf(listKinds.notebooks, project.value)]);
  return (
    <LiveList
      title={words.value.lists.notebooks}
      list={list}
      lives={lives}
      buttons={
        <a class="button primary" href={makeHref('notebooks')}>
          {own.makeNotebook}
        </a>
      }
      beginning={<p>{own.noNotebooks}</p>}
    />
  );
}
