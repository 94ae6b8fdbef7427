import { words } from '../i18n';
import { type Kind, listKinds, resourceOf } from '../kinds';
import { type Column, HiddenColumns } from '../list/columns';
import { createdColumn } from '../list/common_columns';
import { byCreation, byLabel, byName } from '../list/list_state';
import { type ListOf, LiveList } from '../list/live_list';
import { useLive, useLiveOne } from '../live/pool';
import { objectHref } from '../route';
import { MenuItem } from '../ui/menu';
import { showYaml } from '../ui/yaml_dialog';
import { amountsText, countsOf, groupsIn, type PodGroup, type Queue, stateOf } from './queue';
import { clusterWords } from './words';

export const groupKind: Kind = {
  group: 'scheduling.volcano.sh',
  version: 'v1beta1',
  plural: 'podgroups',
  kind: 'PodGroup',
};

/** Counted here, from the groups themselves. */
function Count({ queue, which }: { queue: Queue; which: 'running' | 'pending' }) {
  const { collection } = useLiveOne<PodGroup>(resourceOf(groupKind, ''));
  void collection.changes.value;
  return <>{countsOf(groupsIn(queue, collection.all()))[which]}</>;
}

const columns: Column<Queue>[] = [
  { name: 'state', title: () => clusterWords.value.state, cell: stateOf },
  {
    name: 'parent',
    title: () => clusterWords.value.parent,
    cell: ({ spec }) => spec?.parent || '-',
  },
  { name: 'weight', title: (t) => t.weight, cell: ({ spec }) => spec?.weight ?? '-' },
  {
    name: 'priority',
    title: () => clusterWords.value.priority,
    cell: ({ spec }) => spec?.priority ?? 0,
  },
  {
    name: 'capability',
    title: () => clusterWords.value.capability,
    cell: ({ spec }) => amountsText(spec?.capability),
    wraps: true,
  },
  {
    name: 'running',
    title: () => 'Running',
    cell: (queue) => <Count queue={queue} which="running" />,
  },
  {
    name: 'pending',
    title: () => 'Pending',
    cell: (queue) => <Count queue={queue} which="pending" />,
  },
  createdColumn,
];

const list: ListOf<Queue> = {
  filters: [byLabel],
  sorters: [
    byName,
    byCreation,
    { name: 'weight', title: (t) => t.weight, key: ({ spec }) => spec?.weight ?? 0 },
  ],
  columns,
  hidden: new HiddenColumns('hiddenColumns.queues', columns),
  phase: stateOf,
  href: ({ metadata: { name } }) => objectHref('queues', '', name),
  menu: (queue) => <MenuItem onClick={() => showYaml(queue)}>{words.value.yaml}</MenuItem>,
};

export function QueueList() {
  const lives = useLive<Queue>([resourceOf(listKinds.queues, '')]);
  return (
    <LiveList
      title={words.value.lists.queues}
      list={list}
      lives={lives}
      beginning={<p>{clusterWords.value.noQueues}</p>}
    />
  );
}
