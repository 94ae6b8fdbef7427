import { useSignal } from '@preact/signals';
import { words } from '../i18n';
import type { Condition } from '../jobs/job';
import { type ListRules, type ListState, readState, sorted } from '../list/list_state';
import { Age } from '../time';
import { LongText } from '../ui/long_text';
import { Scroll } from '../ui/scroll';
import { TableTools } from './table_tools';

const rules: ListRules<Condition> = {
  filters: [],
  sorters: [
    {
      name: 'transition',
      title: (t) => t.lastTransition,
      key: ({ lastTransitionTime }) => Date.parse(lastTransitionTime ?? '') || 0,
    },
    { name: 'type', title: (t) => t.type, key: ({ type }) => type },
    { name: 'status', title: (t) => t.status, key: ({ status }) => status },
  ],
};

/** Newest first unless the user wants another order. */
export function ConditionTable({ conditions }: { conditions: readonly Condition[] | undefined }) {
  const state = useSignal<ListState>(readState('sort=transition:desc', rules));
  if (!conditions?.length) return <p>{words.value.none}</p>;
  return (
    <>
      <TableTools
        rules={rules}
        objects={conditions}
        state={state.value}
        change={(next) => {
          state.value = next;
        }}
      />
      <Table conditions={sorted(conditions, state.value.sort, rules.sorters)} />
    </>
  );
}

function Table({ conditions }: { conditions: readonly Condition[] }) {
  const t = words.value;
  return (
    <Scroll label={t.conditions}>
      <table class="stack">
        <thead>
          <tr>
            <th scope="col">{t.type}</th>
            <th scope="col">{t.status}</th>
            <th scope="col">{t.lastTransition}</th>
            <th scope="col">{t.reason}</th>
            <th scope="col">{t.message}</th>
          </tr>
        </thead>
        <tbody>
          {conditions.map((condition) => (
            <tr key={condition.type}>
              <th scope="row" class="keep">
                {condition.type}
              </th>
              <td>{condition.status}</td>
              <td>
                <Age at={condition.lastTransitionTime} />
              </td>
              <td class="reason">{condition.reason || '-'}</td>
              <td class="message">
                <LongText text={condition.message || '-'} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
