import { words } from '../i18n';
import { listKinds } from '../kinds';
import { confirmDeletion, mayNot } from '../objects/actions';
import { goTo, listHref } from '../route';
import { ActionButton } from '../ui/action_button';
import { MenuItem } from '../ui/menu';
import { showYaml, YamlButton } from '../ui/yaml_dialog';
import type { Pod } from './pod';
import {
  showPodConditions,
  showPodEvents,
  showPodLog,
  showPodMonitoring,
  showPodTerminal,
  terminalRefusal,
} from './pod_dialogs';
import { podWords } from './words';

/** `gone` is called when its deletion was asked for. */
export function deletePod(pod: Pod, gone?: () => void): void {
  const { name, namespace = '' } = pod.metadata;
  const text = () => podWords.value.deleteText(name, namespace);
  confirmDeletion({ kind: listKinds.pods, object: pod, text, done: gone });
}

/** What may be done with a pod, as entries of a menu. */
export function PodActions({ pod }: { pod: Pod }) {
  const t = words.value;
  return (
    <>
      <MenuItem onClick={() => showPodLog(pod)}>{t.log}</MenuItem>
      <MenuItem reason={terminalRefusal(pod)} onClick={() => showPodTerminal(pod)}>
        {t.terminal}
      </MenuItem>
      <MenuItem onClick={() => showYaml(pod)}>{t.yaml}</MenuItem>
      <MenuItem onClick={() => showPodConditions(pod)}>{t.conditions}</MenuItem>
      <MenuItem onClick={() => showPodEvents(pod)}>{t.events}</MenuItem>
      <MenuItem onClick={() => showPodMonitoring(pod)}>{t.monitoring}</MenuItem>
      <MenuItem
        class="red"
        reason={mayNot('delete', listKinds.pods, pod.metadata.namespace)}
        onClick={() => deletePod(pod)}
      >
        {t.delete}
      </MenuItem>
    </>
  );
}

/** The same on the pod's page, where conditions and events are shown anyway. */
export function PodButtons({ pod }: { pod: Pod }) {
  const t = words.value;
  const leave = () => {
    goTo(listHref('pods'));
  };
  return (
    <>
      <ActionButton onClick={() => showPodLog(pod)}>{t.log}</ActionButton>
      <ActionButton reason={terminalRefusal(pod)} onClick={() => showPodTerminal(pod)}>
        {t.terminal}
      </ActionButton>
      <YamlButton object={pod} />
      <ActionButton
        class="red"
        reason={mayNot('delete', listKinds.pods, pod.metadata.namespace)}
        onClick={() => deletePod(pod, leave)}
      >
        {t.delete}
      </ActionButton>
    </>
  );
}
