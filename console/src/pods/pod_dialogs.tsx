// What can be looked at of one pod, each in a dialog over the page.
import type { ComponentChildren } from 'preact';
import { refusalOf } from '../access';
import { words } from '../i18n';
import { EventsAbout } from '../jobs/job_events';
import { listKinds, resourceOf } from '../kinds';
import { useLiveOne } from '../live/pool';
import { showLog } from '../log/show_log';
import type { LogPod } from '../log/sources';
import { MonitorPanel } from '../monitor';
import { podTimes } from '../monitor/pod_times';
import { ConditionTable } from '../objects/conditions';
import { showTerminal } from '../terminal/show_terminal';
import { Dialog } from '../ui/dialog';
import { showDialog } from '../ui/shown_dialog';
import { containerNames, type Pod, phaseOfPod, ranBefore } from './pod';

function showAbout(title: string, pod: Pod, body: () => ComponentChildren): void {
  showDialog((close) => (
    <Dialog title={`${title}: ${pod.metadata.name}`} large onClose={close}>
      <div class="details">{body()}</div>
    </Dialog>
  ));
}

/** The pod as it is now; undefined when it is gone. */
function useNow(pod: Pod): Pod | undefined {
  const { namespace = '', name } = pod.metadata;
  const { collection } = useLiveOne<Pod>(resourceOf(listKinds.pods, namespace));
  const now = collection.get(`${namespace}/${name}`);
  return collection.loaded.value ? now : pod;
}

function LiveConditions({ pod }: { pod: Pod }) {
  return <ConditionTable conditions={(useNow(pod) ?? pod).status?.conditions} />;
}

export function showPodConditions(pod: Pod): void {
  showAbout(words.peek().conditions, pod, () => <LiveConditions pod={pod} />);
}

export function showPodEvents(pod: Pod): void {
  const { namespace = '', uid = '' } = pod.metadata;
  showAbout(words.peek().events, pod, () => (
    <EventsAbout namespace={namespace} uids={new Set([uid])} />
  ));
}

/** What the pod has used, as it goes on. */
export function PodMonitoring({ pod }: { pod: Pod }) {
  const { namespace = '', name, ownerReferences = [] } = pod.metadata;
  const owner = ownerReferences[0]?.uid;
  const source = { namespace, pod: name, ...(owner && { owner }) };
  return <MonitorPanel source={source} {...podTimes(useNow(pod) ?? pod)} />;
}

export function showPodMonitoring(pod: Pod): void {
  showAbout(words.peek().metrics, pod, () => <PodMonitoring pod={pod} />);
}

function logPodOf(pod: Pod): LogPod {
  const { name, uid = '' } = pod.metadata;
  const before = ranBefore(pod);
  return {
    name,
    uid,
    phase: phaseOfPod(pod),
    containers: containerNames(pod),
    ...(before !== undefined && { ranBefore: before }),
  };
}

export function showPodLog(pod: Pod): void {
  const { namespace = '' } = pod.metadata;
  // A hook: the dialog calls it at each drawing, and so follows the pod. One that is gone writes no more.
  const usePodNow = () => {
    const now = useNow(pod);
    return now ? logPodOf(now) : { ...logPodOf(pod), phase: 'Deleted' };
  };
  showLog(namespace, logPodOf(pod), usePodNow);
}

/** Why no shell can be had in it; empty when one can. */
export function terminalRefusal(pod: Pod): string {
  if (phaseOfPod(pod) !== 'Running') return words.value.notRunning;
  const { namespace = '' } = pod.metadata;
  return refusalOf({ verb: 'create', group: '', resource: 'pods/exec', namespace });
}

export function showPodTerminal(pod: Pod): void {
  const { namespace = '', name } = pod.metadata;
  showTerminal(
    namespace,
    name,
    (pod.spec?.containers ?? []).map((each) => each.name),
  );
}
