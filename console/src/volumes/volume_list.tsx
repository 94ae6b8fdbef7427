import { project } from '../frame/project';
import { words } from '../i18n';
import { listKinds, resourceOf } from '../kinds';
import { type Column, HiddenColumns } from '../list/columns';
import { createdColumn, projectColumn } from '../list/common_columns';
import { byCreation, byLabel, byName } from '../list/list_state';
import { type ListOf, LiveList } from '../list/live_list';
import { useLive } from '../live/pool';
import { makeHref, objectHref } from '../route';
import { type Claim, phaseOf, sizeOf, sizeText } from './volume';
import { VolumeActions } from './volume_actions';
import { volumeWords } from './words';

const columns: Column<Claim>[] = [
  projectColumn,
  {
    name: 'class',
    title: (t) => t.storageClass,
    cell: ({ spec }) => spec?.storageClassName || '-',
  },
  createdColumn,
  {
    name: 'mode',
    title: (t) => t.accessModes,
    cell: ({ spec }) => spec?.accessModes?.join(', ') || '-',
  },
  { name: 'size', title: (t) => t.size, cell: sizeText },
  { name: 'phase', title: (t) => t.phase, cell: phaseOf },
  {
    name: 'files',
    title: () => volumeWords.value.files,
    cell: ({ metadata: { namespace = '', name }, status }) =>
      status?.phase === 'Bound' ? (
        <a href={objectHref('volumes', namespace, name, 'files')}>{volumeWords.value.openFiles}</a>
      ) : (
        '-'
      ),
  },
];

const list: ListOf<Claim> = {
  filters: [
    byLabel,
    { name: 'phase', title: (t) => t.filters.phase, values: (claim) => [phaseOf(claim)] },
    {
      name: 'class',
      title: (t) => t.storageClass,
      values: ({ spec }) => (spec?.storageClassName ? [spec.storageClassName] : []),
    },
  ],
  sorters: [
    byName,
    byCreation,
    { name: 'size', title: (t) => t.size, key: (claim) => sizeOf(claim) ?? 0 },
  ],
  columns,
  hidden: new HiddenColumns('hiddenColumns.volumes', columns),
  phase: phaseOf,
  href: ({ metadata: { namespace = '', name } }) => objectHref('volumes', namespace, name),
  menu: (claim) => <VolumeActions claim={claim} />,
};

export function VolumeList() {
  const t = volumeWords.value;
  const lives = useLive<Claim>([resourceOf(listKinds.volumes, project.value)]);
  return (
    <LiveList
      title={words.value.lists.volumes}
      list={list}
      lives={lives}
      buttons={
        <a class="button primary" href={makeHref('volumes')}>
          {t.create}
        </a>
      }
      beginning={<p>{t.none}</p>}
    />
  );
}
