import { words } from '../i18n';
import { Dialog } from '../ui/dialog';
import { later } from '../ui/later';
import { showDialog } from '../ui/shown_dialog';
import type { LogPod } from './sources';

const LogExplorer = later(async () => (await import('./log_explorer')).LogExplorer);

function Body({ namespace, first, follow }: { namespace: string; first: LogPod; follow: Follow }) {
  const pod = follow() ?? first;
  return (
    // A replaced pod may keep its name; its log is another one.
    <LogExplorer
      key={pod.uid}
      namespace={namespace}
      pods={[{ ...pod, tag: pod.name }]}
      name={pod.name}
    />
  );
}

/** What the log needs to know of its pod, and follows while it is open; undefined: it is gone. */
type Follow = () => LogPod | undefined;

/** The log of a pod, in a dialog. Also of one that is gone, as long as its log is kept. */
export function showLog(namespace: string, first: LogPod, follow: Follow): void {
  showDialog((close) => (
    <Dialog title={words.value.logOf(first.name)} large onClose={close}>
      <Body namespace={namespace} first={first} follow={follow} />
    </Dialog>
  ));
}
