import { useSignal } from '@preact/signals';
import { project } from '../frame/project';
import { words } from '../i18n';
import { type ListPage, listKinds, resourceOf } from '../kinds';
import { type Collection, keyOf, newestFirst } from '../live/collection';
import { useLive } from '../live/pool';
import { allLoaded, problemOf, useSnapshot } from '../live/snapshot';
import { Age } from '../time';
import { Menu, MenuItem } from '../ui/menu';
import { Pager, pageSize } from '../ui/pager';
import { pageOf } from '../ui/paging';
import { PhaseIcon } from '../ui/phase';
import { showYaml } from '../ui/yaml_dialog';
import { AppLink } from './app_link';
import { type AnyObject, columns, statusOf } from './object';

/** Kinds that a status says something about have its icon before the name and its word in a column. */
function hasStatus(page: ListPage): boolean {
  return page !== 'secrets' && page !== 'configmaps';
}

function Row({
  page,
  id,
  objects,
}: {
  page: ListPage;
  id: string;
  objects: Collection<AnyObject>;
}) {
  const t = words.value;
  const object = objects.get(id);
  if (!object) return null;
  const { name, namespace, creationTimestamp } = object.metadata;
  const status = statusOf(page, object);
  return (
    <tr>
      {hasStatus(page) && <td class="narrow">{status && <PhaseIcon phase={status} />}</td>}
      <th scope="row">
        <AppLink app={object}>{name}</AppLink>
      </th>
      {namespace !== undefined && project.value === '' && <td>{namespace}</td>}
      {hasStatus(page) && <td>{status}</td>}
      {columns[page].map(({ title, text }) => (
        <td key={title(t)}>{text(object)}</td>
      ))}
      <td>
        <Age at={creationTimestamp} />
      </td>
      <td class="narrow">
        <Menu face="⋮" label={t.actionsOf(name)} class="plain">
          {() => <MenuItem onClick={() => showYaml(object)}>{t.yaml}</MenuItem>}
        </Menu>
      </td>
    </tr>
  );
}

function Head({ page }: { page: ListPage }) {
  const t = words.value;
  const isCluster = 'cluster' in listKinds[page];
  return (
    <thead>
      <tr>
        {hasStatus(page) && <td />}
        <th scope="col">{t.name}</th>
        {!isCluster && project.value === '' && <th scope="col">{t.project}</th>}
        {hasStatus(page) && <th scope="col">{t.status}</th>}
        {columns[page].map(({ title }) => (
          <th key={title(t)} scope="col">
            {title(t)}
          </th>
        ))}
        <th scope="col">{t.created}</th>
        <th scope="col" class="narrow">
          {t.actions}
        </th>
      </tr>
    </thead>
  );
}

/** The live list of any kind: search, newest first, pages. */
export function ObjectList({ page }: { page: ListPage }) {
  const t = words.value;
  const search = useSignal('');
  const wanted = useSignal(0);
  const lives = useLive<AnyObject>([resourceOf(listKinds[page], project.value)]);
  const objects = useSnapshot(lives);
  const needle = search.value.trim().toLowerCase();
  const found = objects.filter(({ metadata }) => metadata.name.toLowerCase().includes(needle));
  const shown = pageOf(found.sort(newestFirst), wanted.value, pageSize.value);
  const problem = problemOf(lives);
  const collection = lives[0]?.collection;
  return (
    <section class="card" aria-labelledby="list-title">
      <h1 id="list-title">{t.lists[page]}</h1>
      <search class="filters">
        <input
          type="search"
          aria-label={t.search}
          placeholder={t.search}
          onInput={(event) => {
            search.value = event.currentTarget.value;
            wanted.value = 0;
          }}
        />
      </search>
      {problem && (
        <p class="problem" role="alert">
          {t.watchFailed(problem)}
        </p>
      )}
      <div class="scroll">
        <table class="stack">
          <Head page={page} />
          <tbody>
            {collection &&
              shown.items.map((object) => (
                <Row
                  key={object.metadata.uid}
                  page={page}
                  id={keyOf(object)}
                  objects={collection}
                />
              ))}
          </tbody>
        </table>
      </div>
      {shown.total === 0 && !problem && (
        <p class="empty big">{allLoaded(lives) ? t.none : t.loading}</p>
      )}
      <Pager
        shown={shown}
        go={(next) => {
          wanted.value = next;
        }}
      />
    </section>
  );
}
