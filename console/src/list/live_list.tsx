import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { words } from '../i18n';
import { type Collection, keyOf } from '../live/collection';
import type { Live } from '../live/pool';
import type { KubeObject } from '../live/protocol';
import { allLoaded, problemOf, useSnapshot } from '../live/snapshot';
import { query, replaceQuery } from '../route';
import { NotLoaded } from '../ui/not_loaded';
import { Pager, pageSize } from '../ui/pager';
import { pageOf } from '../ui/paging';
import { Refusal } from '../ui/refusal';
import { Scroll } from '../ui/scroll';
import type { Words } from '../words/en';
import { Chips } from './chips';
import type { Column, HiddenColumns } from './columns';
import { FilterBar } from './filter_bar';
import { type ListRules, type ListState, readState, select, writeState } from './list_state';
import { Row } from './row';

/** What the list of a kind is made of. Made once, not at each drawing. */
export interface ListOf<T extends KubeObject> extends ListRules<T> {
  columns: readonly Column<T>[];
  hidden: HiddenColumns;
  /** Its icon stands before the name. */
  phase?: (object: T) => string | undefined;
  /** Where its name leads. */
  href?: (object: T) => string | undefined;
  /** What stands below its name, such as why it does not run. */
  note?: (object: T) => ComponentChildren;
  /** The entries of a row's menu. */
  menu: (object: T) => ComponentChildren;
  /** What that column is called where another one has the actions. */
  menuTitle?: (t: Words) => string;
  /** What is below a row when its chevron was clicked. */
  unfolded?: (object: T) => ComponentChildren;
}

interface LiveListProps<T extends KubeObject> {
  title: string;
  list: ListOf<T>;
  lives: readonly Live<T>[];
  /** Which of the lives an object belongs to, where there are several. */
  collectionOf?: (object: T) => Collection<T> | undefined;
  /** Beside the title. */
  buttons?: ComponentChildren;
  /** How to come to the first one, where there is none yet. */
  beginning?: ComponentChildren;
}

function Head<T extends KubeObject>(props: { list: ListOf<T>; columns: readonly Column<T>[] }) {
  const { list, columns } = props;
  const t = words.value;
  return (
    <thead>
      <tr>
        {list.unfolded && <td />}
        {list.phase && (
          <th scope="col">
            <span class="hidden">{t.status}</span>
          </th>
        )}
        <th scope="col">{t.name}</th>
        {columns.map(({ name, title }) => (
          <th key={name} scope="col">
            {title(t)}
          </th>
        ))}
        <th scope="col" class="narrow">
          {list.menuTitle?.(t) ?? t.actions}
        </th>
      </tr>
    </thead>
  );
}

/** An empty list is not yet a statement while its objects are still coming. */
function Nothing(props: { any: boolean; loaded: boolean; beginning: ComponentChildren }) {
  const t = words.value;
  if (!props.loaded) return <NotLoaded />;
  return (
    <div class="empty">
      <p class="big">{t.none}</p>
      {props.any ? <p>{t.noMatch}</p> : props.beginning}
    </div>
  );
}

/** The live list of a kind: search, filters, order and page in the address, newest first unless said otherwise. */
export function LiveList<T extends KubeObject>(props: LiveListProps<T>) {
  const { title, list, lives, buttons } = props;
  const collectionOf = props.collectionOf ?? (() => lives[0]?.collection);
  const id = useId();
  const objects = useSnapshot(lives);
  const state = readState(query.value, list);
  const shown = pageOf(select(objects, state, list), state.page, pageSize.value);
  const problem = problemOf(lives);
  const columns = list.columns.filter(
    ({ name, tells }) => !list.hidden.now.value.has(name) && (tells?.(objects) ?? true),
  );
  const change = (next: ListState) => replaceQuery(writeState(next));
  return (
    <section class="card" aria-labelledby={id}>
      <header>
        <h1 id={id}>{title}</h1>
        {buttons}
      </header>
      <FilterBar
        rules={list}
        state={state}
        change={change}
        columns={list.columns}
        hidden={list.hidden}
        objects={objects}
      />
      <Chips rules={list} state={state} change={change} />
      <Refusal />
      {problem && (
        <p class="problem" role="alert">
          {words.value.watchFailed(problem)}
        </p>
      )}
      <Scroll label={title}>
        <table class="stack">
          <Head list={list} columns={columns} />
          <tbody>
            {shown.items.map((object) => {
              const collection = collectionOf(object);
              return (
                collection && (
                  <Row
                    key={object.metadata.uid}
                    list={list}
                    columns={columns}
                    id={keyOf(object)}
                    objects={collection}
                  />
                )
              );
            })}
          </tbody>
        </table>
      </Scroll>
      {shown.total === 0 && !problem && (
        <Nothing any={objects.length > 0} loaded={allLoaded(lives)} beginning={props.beginning} />
      )}
      <Pager shown={shown} go={(page) => change({ ...state, page })} />
    </section>
  );
}
