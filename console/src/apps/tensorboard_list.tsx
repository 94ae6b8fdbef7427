import './apps.css';
import { project } from '../frame/project';
import { words } from '../i18n';
import { listKinds, resourceOf } from '../kinds';
import { type Column, HiddenColumns } from '../list/columns';
import { createdColumn, projectColumn } from '../list/common_columns';
import { byCreation, byLabel, byName } from '../list/list_state';
import { type ListOf, LiveList } from '../list/live_list';
import { useLive } from '../live/pool';
import { makeHref, objectHref } from '../route';
import { fileSets, statusOfApp, type TensorBoard } from './app';
import { AppMenu, AppTrouble, OpenAndPause } from './app_actions';
import { appWords } from './words';

const columns: readonly Column<TensorBoard>[] = [
  projectColumn,
  {
    name: 'fileSets',
    title: () => appWords.value.fileSets,
    cell: (board) => fileSets(board).map((each) => <div key={each}>{each}</div>),
    wraps: true,
  },
  createdColumn,
  {
    name: 'actions',
    title: (t) => t.actions,
    cell: (board) => <OpenAndPause page="tensorboards" app={board} />,
  },
];

const list: ListOf<TensorBoard> = {
  filters: [
    byLabel,
    {
      name: 'phase',
      title: (t) => t.filters.phase,
      values: (board) => [statusOfApp(board)],
    },
  ],
  sorters: [byName, byCreation],
  columns,
  hidden: new HiddenColumns('hiddenColumns.tensorboards', columns),
  phase: statusOfApp,
  href: ({ metadata }) => objectHref('tensorboards', metadata.namespace ?? '', metadata.name),
  note: (board) => <AppTrouble app={board} />,
  menu: (board) => <AppMenu page="tensorboards" app={board} />,
  menuTitle: (t) => t.more,
};

export function TensorBoardList() {
  const own = appWords.value;
  const lives = useLive<TensorBoard>([resourceOf(listKinds.tensorboards, project.value)]);
  return (
    <LiveList
      title={words.value.lists.tensorboards}
      list={list}
      lives={lives}
      buttons={
        <a class="button primary" href={makeHref('tensorboards')}>
          {own.makeTensorBoard}
        </a>
      }
      beginning={<p>{own.noBoards}</p>}
    />
  );
}
