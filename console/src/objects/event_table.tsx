import { useSignal } from '@preact/signals';
import { words } from '../i18n';
import { type ListRules, type ListState, readState, select } from '../list/list_state';
import { Age } from '../time';
import { LongText } from '../ui/long_text';
import { Pager, pageSize } from '../ui/pager';
import { pageOf } from '../ui/paging';
import { Scroll } from '../ui/scroll';
import { firstSeen, type KubeEvent, lastSeen, timeKey } from './event';
import { TableTools } from './table_tools';

const rules: ListRules<KubeEvent> = {
  filters: [
    { name: 'type', title: (t) => t.type, values: ({ type }) => (type ? [type] : []) },
    { name: 'reason', title: (t) => t.reason, values: ({ reason }) => (reason ? [reason] : []) },
  ],
  sorters: [
    { name: 'last', title: (t) => t.lastSeen, key: (event) => timeKey(lastSeen(event), event) },
    { name: 'first', title: (t) => t.firstSeen, key: (event) => timeKey(firstSeen(event), event) },
    { name: 'count', title: (t) => t.times, key: ({ count }) => count ?? 1 },
    { name: 'object', title: (t) => t.object, key: (event) => event.involvedObject?.name ?? '' },
  ],
};

/** A sign beside the word, so that no one depends on colour. */
function EventType({ type }: { type: string | undefined }) {
  const warning = type === 'Warning';
  return (
    <span class={warning ? 'phase warning' : 'phase'}>
      <svg class={warning ? 'icon' : 'icon blue'} viewBox="0 0 16 16" aria-hidden="true">
        <path
          class="line"
          d={
            warning
              ? 'M8 2.5l6.2 11H1.8zM8 6.8v3M8 11.8v.2'
              : 'M8 1.5a6.5 6.5 0 1 0 .01 0M8 7.5v4M8 5v.2'
          }
        />
      </svg>
      {type ?? '-'}
    </span>
  );
}

/** Newest first unless the user wants another order. */
export function EventTable({ events }: { events: readonly KubeEvent[] }) {
  const t = words.value;
  const state = useSignal<ListState>(readState('sort=last:desc', rules));
  if (events.length === 0) return <p>{t.none}</p>;
  const shown = pageOf(select(events, state.value, rules), state.value.page, pageSize.value);
  return (
    <>
      <TableTools
        rules={rules}
        objects={events}
        state={state.value}
        change={(next) => {
          state.value = next;
        }}
      />
      <Scroll label={t.events}>
        <table class="stack">
          <thead>
            <tr>
              <th scope="col">{t.type}</th>
              <th scope="col">{t.lastSeen}</th>
              <th scope="col">{t.firstSeen}</th>
              <th scope="col">{t.times}</th>
              <th scope="col">{t.reason}</th>
              <th scope="col">{t.message}</th>
              <th scope="col">{t.object}</th>
            </tr>
          </thead>
          <tbody>
            {shown.items.map((event) => (
              <tr key={event.metadata.uid}>
                <td>
                  <EventType type={event.type} />
                </td>
                <td>
                  <Age at={lastSeen(event)} />
                </td>
                <td>
                  <Age at={firstSeen(event)} />
                </td>
                <td>{event.count ?? 1}</td>
                <td class="reason">{event.reason || '-'}</td>
                <td class="message">
                  <LongText text={event.message || '-'} />
                </td>
                <td class="object">
                  {event.involvedObject?.kind}/<wbr />
                  {event.involvedObject?.name}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {events.length > 10 && (
        <Pager
          shown={shown}
          go={(page) => {
            state.value = { ...state.value, page };
          }}
        />
      )}
    </>
  );
}
