import { words } from '../i18n';
import {
  showPodConditions,
  showPodEvents,
  showPodLog,
  showPodMonitoring,
  showPodTerminal,
  terminalRefusal,
} from '../pods/pod_dialogs';
import { MenuItem } from '../ui/menu';
import { showYaml } from '../ui/yaml_dialog';
import type { Job } from './job';
import { podOfRow, type ReplicaRow } from './replica';
import { jobWords } from './words';

export interface ReplicaMenuProps {
  row: ReplicaRow;
  job: Job;
}

/** What can be looked at of a replica. Some of it goes with its pod. */
export function ReplicaMenu({ row, job }: ReplicaMenuProps) {
  const t = words.value;
  const pod = podOfRow(job, row);
  const gone = row.pod ? '' : jobWords.value.podGone;
  return (
    <>
      <MenuItem onClick={() => showPodLog(pod)}>{t.log}</MenuItem>
      <MenuItem reason={terminalRefusal(pod)} onClick={() => showPodTerminal(pod)}>
        {t.terminal}
      </MenuItem>
      <MenuItem reason={gone} onClick={() => showYaml(pod)}>
        {t.yaml}
      </MenuItem>
      <MenuItem reason={gone} onClick={() => showPodConditions(pod)}>
        {t.conditions}
      </MenuItem>
      <MenuItem onClick={() => showPodEvents(pod)}>{t.events}</MenuItem>
      <MenuItem onClick={() => showPodMonitoring(pod)}>{t.metrics}</MenuItem>
    </>
  );
}
