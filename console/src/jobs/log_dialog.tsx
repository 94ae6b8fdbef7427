import { useSignal } from '@preact/signals';
import { words } from '../i18n';
import { connection } from '../live/tab';
import { LogPanel } from '../log/log_panel';
import { Dialog } from '../ui/dialog';
import { showDialog } from '../ui/shown_dialog';
import type { ReplicaRow } from './replica';

/** What the log view needs to know of its pod, and follows while it is open. */
type Follow = () => ReplicaRow | undefined;

function Body({
  namespace,
  first,
  follow,
}: {
  namespace: string;
  first: ReplicaRow;
  follow: Follow;
}) {
  const t = words.value;
  const row = follow() ?? first;
  const picked = useSignal(row.containers[0] ?? '');
  return (
    <>
      {row.containers.length > 1 && (
        <label class="bar">
          {t.container}
          <select
            value={picked.value}
            onChange={(event) => {
              picked.value = event.currentTarget.value;
            }}
          >
            {row.containers.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      <LogPanel
        // A replaced pod may keep its name; its log is another one.
        key={`${row.uid} ${picked.value}`}
        streams={connection}
        namespace={namespace}
        pod={row.name}
        phase={row.phase}
        container={picked.value}
      />
    </>
  );
}

export function showLog(namespace: string, first: ReplicaRow, follow: Follow): void {
  showDialog((close) => (
    <Dialog title={words.value.logOf(first.name)} large onClose={close}>
      <Body namespace={namespace} first={first} follow={follow} />
    </Dialog>
  ));
}
