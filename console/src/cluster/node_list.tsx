import { words } from '../i18n';
import { listKinds, resourceOf } from '../kinds';
import { type Column, HiddenColumns } from '../list/columns';
import { createdColumn, labelColumn } from '../list/common_columns';
import { byCreation, byLabel, byName } from '../list/list_state';
import { type ListOf, LiveList } from '../list/live_list';
import { useLive, useLiveOne } from '../live/pool';
import { objectHref } from '../route';
import { type Node, type PlacedPod, phaseOf, rolesOf, sharesOf, statusOf } from './node';
import { NodeActions } from './node_actions';
import { ShareBar } from './share_bar';
import { clusterWords } from './words';

/** In a component of its own, so that a pod that comes or goes redraws the bars and not the list. */
function ShareOf({ node, resource }: { node: Node; resource: string }) {
  const { collection } = useLiveOne<PlacedPod>(resourceOf(listKinds.pods, ''));
  void collection.changes.value;
  const share = sharesOf(node, collection.all()).find((each) => each.resource === resource);
  return share ? <ShareBar share={share} /> : <>-</>;
}

const shareColumn = (
  name: string,
  resource: string,
  title: Column<Node>['title'],
): Column<Node> => ({
  name,
  title,
  cell: (node) => <ShareOf node={node} resource={resource} />,
});

const gpu = 'nvidia.com/gpu';

const columns: Column<Node>[] = [
  { name: 'status', title: (t) => t.status, cell: statusOf },
  {
    name: 'roles',
    title: () => clusterWords.value.roles,
    cell: (node) => rolesOf(node).join(', ') || '-',
  },
  shareColumn('cpu', 'cpu', (t) => t.cpu),
  shareColumn('memory', 'memory', (t) => t.memory),
  {
    ...shareColumn('gpu', gpu, () => gpu),
    tells: (nodes) => nodes.some(({ status }) => status?.allocatable?.[gpu] !== undefined),
  },
  shareColumn('pods', 'pods', () => clusterWords.value.pods),
  { ...labelColumn, hiddenAtFirst: true },
  createdColumn,
];

const list: ListOf<Node> = {
  filters: [
    byLabel,
    { name: 'status', title: (t) => t.status, values: (node) => [statusOf(node)] },
  ],
  sorters: [byName, byCreation],
  columns,
  hidden: new HiddenColumns('hiddenColumns.nodes', columns),
  phase: phaseOf,
  href: ({ metadata: { name } }) => objectHref('nodes', '', name),
  menu: (node) => <NodeActions node={node} />,
};

export function NodeList() {
  const lives = useLive<Node>([resourceOf(listKinds.nodes, '')]);
  return <LiveList title={words.value.lists.nodes} list={list} lives={lives} />;
}
