import { project } from '../frame/project';
import { words } from '../i18n';
import { phaseWord } from '../jobs/job';
import { listKinds, resourceOf } from '../kinds';
import { type Column, HiddenColumns } from '../list/columns';
import { createdColumn, labelColumn, projectColumn } from '../list/common_columns';
import { byCreation, byLabel, byName } from '../list/list_state';
import { type ListOf, LiveList } from '../list/live_list';
import { RowNote } from '../list/row';
import { useLive } from '../live/pool';
import { bytes, cores, noAmount, requestAndLimit } from '../quantity';
import { makeHref, objectHref } from '../route';
import {
  amountsOfPod,
  extendedOfPod,
  groupOf,
  iconOfPod,
  type Pod,
  phaseOfPod,
  podPhases,
  podStatus,
  queueOfPod,
  readyCount,
  restartsOf,
  troubleText,
} from './pod';
import { PodActions } from './pod_actions';
import { podWords } from './words';

const columns: readonly Column<Pod>[] = [
  projectColumn,
  { name: 'ready', title: () => podWords.value.readyContainers, cell: readyCount },
  { name: 'status', title: (t) => t.status, cell: podStatus },
  { name: 'restarts', title: (t) => t.restarts, cell: restartsOf },
  {
    name: 'cpu',
    title: (t) => t.cpuOf,
    cell: (pod) => requestAndLimit(amountsOfPod(pod).get('cpu') ?? noAmount, cores),
  },
  {
    name: 'memory',
    title: (t) => t.memoryOf,
    cell: (pod) => requestAndLimit(amountsOfPod(pod).get('memory') ?? noAmount, bytes),
  },
  { ...labelColumn, hiddenAtFirst: true },
  {
    name: 'group',
    title: () => podWords.value.podGroup,
    cell: (pod) => groupOf(pod) ?? '-',
    hiddenAtFirst: true,
  },
  { name: 'queue', title: (t) => t.queue, cell: queueOfPod, hiddenAtFirst: true },
  {
    name: 'node',
    title: (t) => t.node,
    cell: ({ spec }) => spec?.nodeName ?? '-',
    hiddenAtFirst: true,
  },
  createdColumn,
];

/** Why it waits or has failed, below its name. */
function Trouble({ pod }: { pod: Pod }) {
  const text = troubleText(pod, words.value);
  return text ? <RowNote text={text} failed={phaseOfPod(pod) === 'Failed'} /> : null;
}

const list: ListOf<Pod> = {
  filters: [
    byLabel,
    {
      name: 'group',
      title: () => podWords.value.podGroup,
      values: (pod) => [groupOf(pod) ?? []].flat(),
    },
    {
      name: 'phase',
      title: (t) => t.filters.phase,
      values: (pod) => [pod.status?.phase ?? 'Pending'],
      choices: podPhases,
      word: phaseWord,
    },
    { name: 'extended', title: (t) => t.filters.extended, values: extendedOfPod },
    { name: 'queue', title: (t) => t.filters.queue, values: (pod) => [queueOfPod(pod)] },
  ],
  sorters: [
    byName,
    byCreation,
    { name: 'restarts', title: (t) => t.restarts, key: restartsOf },
    { name: 'status', title: (t) => t.status, key: podStatus },
  ],
  columns,
  hidden: new HiddenColumns('hiddenColumns.pods', columns),
  phase: iconOfPod,
  href: ({ metadata }) => objectHref('pods', metadata.namespace ?? '', metadata.name),
  note: (pod) => <Trouble pod={pod} />,
  menu: (pod) => <PodActions pod={pod} />,
};

export function PodList() {
  const lives = useLive<Pod>([resourceOf(listKinds.pods, project.value)]);
  const own = podWords.value;
  return (
    <LiveList
      title={words.value.lists.pods}
      list={list}
      lives={lives}
      buttons={
        <a class="button primary" href={makeHref('pods')}>
          {own.make}
        </a>
      }
      beginning={<p>{own.noPods}</p>}
    />
  );
}
