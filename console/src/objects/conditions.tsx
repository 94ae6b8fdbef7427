import { words } from '../i18n';
import { type Condition, newestConditionFirst } from '../jobs/job';
import { Age } from '../time';

export function ConditionTable({ conditions }: { conditions: readonly Condition[] | undefined }) {
  const t = words.value;
  const sorted = newestConditionFirst(conditions ?? []);
  if (sorted.length === 0) return <p>{t.none}</p>;
  return (
    <div class="scroll">
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
          {sorted.map((condition) => (
            <tr key={condition.type}>
              <th scope="row">{condition.type}</th>
              <td>{condition.status}</td>
              <td>
                <Age at={condition.lastTransitionTime} />
              </td>
              <td class="reason">{condition.reason || '-'}</td>
              <td class="message">{condition.message || '-'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
