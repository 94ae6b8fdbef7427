// The lists of Secrets and ConfigMaps.
import { project } from '../frame/project';
import { words } from '../i18n';
import { listKinds, resourceOf } from '../kinds';
import { type Column, HiddenColumns } from '../list/columns';
import { createdColumn, labelColumn, projectColumn } from '../list/common_columns';
import { byCreation, byLabel, byName } from '../list/list_state';
import { type ListOf, LiveList } from '../list/live_list';
import { useLive } from '../live/pool';
import { makeHref, objectHref } from '../route';
import { ConfigActions, type ConfigPage } from './config_actions';
import type { ConfigMap, Secret } from './entries';
import { configWords } from './words';

const countColumn: Column<Secret & ConfigMap> = {
  name: 'entries',
  title: (t) => t.entries,
  cell: ({ data = {}, binaryData = {} }) =>
    Object.keys(data).length + Object.keys(binaryData).length,
};

const typeColumn: Column<Secret> = {
  name: 'type',
  title: (t) => t.type,
  cell: ({ type }) => type ?? '-',
};

function listOf(page: ConfigPage): ListOf<Secret & ConfigMap> {
  const columns = [
    projectColumn,
    ...(page === 'secrets' ? [typeColumn] : []),
    countColumn,
    labelColumn,
    createdColumn,
  ];
  return {
    filters: [
      byLabel,
      ...(page === 'secrets'
        ? [
            {
              name: 'type',
              title: (t: typeof words.value) => t.type,
              values: ({ type }: Secret) => (type ? [type] : []),
            },
          ]
        : []),
    ],
    sorters: [byName, byCreation],
    columns,
    hidden: new HiddenColumns(`hiddenColumns.${page}`, columns),
    href: ({ metadata: { namespace = '', name } }) => objectHref(page, namespace, name),
    menu: (object) => <ConfigActions page={page} object={object} />,
  };
}

const lists = { secrets: listOf('secrets'), configmaps: listOf('configmaps') };

function ConfigList({ page }: { page: ConfigPage }) {
  const t = configWords.value;
  const lives = useLive<Secret & ConfigMap>([resourceOf(listKinds[page], project.value)]);
  return (
    <LiveList
      title={words.value.lists[page]}
      list={lists[page]}
      lives={lives}
      buttons={
        <a class="button primary" href={makeHref(page)}>
          {page === 'secrets' ? t.createSecret : t.createConfigMap}
        </a>
      }
      beginning={<p>{page === 'secrets' ? t.noSecrets : t.noConfigMaps}</p>}
    />
  );
}

export const SecretList = () => <ConfigList page="secrets" />;
export const ConfigMapList = () => <ConfigList page="configmaps" />;
