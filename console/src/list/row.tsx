import { useSignal } from '@preact/signals';
import { words } from '../i18n';
import type { Collection } from '../live/collection';
import type { KubeObject } from '../live/protocol';
import { Menu } from '../ui/menu';
import { PhaseIcon } from '../ui/phase';
import type { Column } from './columns';
import type { ListOf } from './live_list';

interface RowProps<T extends KubeObject> {
  list: ListOf<T>;
  columns: readonly Column<T>[];
  /** Its key in `objects`. */
  id: string;
  objects: Collection<T>;
}

/** Reads its own object only, so that the change of one redraws one row. */
export function Row<T extends KubeObject>({ list, columns, id, objects }: RowProps<T>) {
  const t = words.value;
  const unfolded = useSignal(false);
  const object = objects.get(id);
  if (!object) return null;
  const { name } = object.metadata;
  const phase = list.phase?.(object);
  const href = list.href?.(object);
  return (
    <>
      <tr>
        {list.unfolded && (
          <td class="narrow">
            <button
              type="button"
              class="plain"
              aria-label={t.unfold(name)}
              aria-expanded={unfolded.value}
              onClick={() => {
                unfolded.value = !unfolded.value;
              }}
            >
              {unfolded.value ? '▾' : '▸'}
            </button>
          </td>
        )}
        {list.phase && <td class="narrow">{phase && <PhaseIcon phase={phase} />}</td>}
        <th scope="row">
          {href ? <a href={href}>{name}</a> : name}
          {list.note?.(object)}
        </th>
        {columns.map((column) => (
          <td key={column.name} class={column.wraps ? '' : 'keep'}>
            {column.cell(object)}
          </td>
        ))}
        <td class="narrow">
          <Menu face="⋮" label={t.actionsOf(name)} class="plain">
            {() => list.menu(object)}
          </Menu>
        </td>
      </tr>
      {unfolded.value && (
        <tr class="unfolded">
          <td colSpan={columns.length + 4}>{list.unfolded?.(object)}</td>
        </tr>
      )}
    </>
  );
}

/** What is wrong with a row's object, below its name: a few lines of it, all of it in its tooltip. */
export function RowNote({ text, failed }: { text: string; failed: boolean }) {
  return (
    <p class={failed ? 'few problem' : 'few note'} title={text}>
      {text}
    </p>
  );
}
