import { words } from '../i18n';
import { listKinds, resourceOf } from '../kinds';
import { useLive } from '../live/pool';
import { useSnapshot } from '../live/snapshot';
import { showPodTerminal, terminalRefusal } from '../pods/pod_dialogs';
import { Menu, MenuItem } from '../ui/menu';
import type { Job } from './job';
import { type Pod, podOfRow, replicaRows } from './replica';

/** A shell in one of the job's replicas. */
export function TerminalMenu({ job }: { job: Job }) {
  const { namespace = '' } = job.metadata;
  const pods = useSnapshot(useLive<Pod>([resourceOf(listKinds.pods, namespace)]));
  const rows = replicaRows(job, pods);
  return (
    <Menu face={`${words.value.terminal} ▾`}>
      {() =>
        rows.length === 0 ? (
          <p class="item">{words.value.nothingToChoose}</p>
        ) : (
          rows.map((row) => {
            const pod = podOfRow(job, row);
            return (
              <MenuItem
                key={row.name}
                reason={terminalRefusal(pod)}
                onClick={() => showPodTerminal(pod)}
              >
                {row.tag}
              </MenuItem>
            );
          })
        )
      }
    </Menu>
  );
}
