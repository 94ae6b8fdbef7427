import { Chips } from '../list/chips';
import { FilterMenus, type FilterProps, SortMenu } from '../list/filter_bar';

/** Filters and order of a table within a page, which no address holds: the menus, and what is active of them. */
export function TableTools<T>(props: FilterProps<T> & { objects: readonly T[] }) {
  const { rules, state, change, objects } = props;
  return (
    <div class="tools">
      <Chips rules={rules} state={state} change={change} />
      <FilterMenus rules={rules} objects={objects} state={state} change={change} />
      <SortMenu rules={rules} state={state} change={change} />
    </div>
  );
}
