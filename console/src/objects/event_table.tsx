import { useSignal } from '@preact/signals';
import { words } from '../i18n';
import { Age } from '../time';
import { Pager, pageSize } from '../ui/pager';
import { pageOf } from '../ui/paging';
import { firstSeen, type KubeEvent, lastSeen } from './event';

/** Newest first, as they are given. */
export function EventTable({ events }: { events: readonly KubeEvent[] }) {
  const t = words.value;
  const wanted = useSignal(0);
  if (events.length === 0) return <p>{t.none}</p>;
  const shown = pageOf(events, wanted.value, pageSize.value);
  return (
    <>
      <div class="scroll">
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
                <td class={event.type === 'Warning' ? 'warning' : ''}>{event.type ?? '-'}</td>
                <td>
                  <Age at={lastSeen(event)} />
                </td>
                <td>
                  <Age at={firstSeen(event)} />
                </td>
                <td>{event.count ?? 1}</td>
                <td class="reason">{event.reason || '-'}</td>
                <td class="message">{event.message || '-'}</td>
                <td class="object">
                  {event.involvedObject?.kind}/{event.involvedObject?.name}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {events.length > 10 && (
        <Pager
          shown={shown}
          go={(page) => {
            wanted.value = page;
          }}
        />
      )}
    </>
  );
}
