import { words } from '../i18n';
import { Dialog } from '../ui/dialog';
import { later } from '../ui/later';
import { showDialog } from '../ui/shown_dialog';

const TerminalPanel = later(async () => (await import('./terminal_panel')).TerminalPanel);

/** A shell in one of the pod's containers, in a dialog whose end is the shell's end. */
export function showTerminal(namespace: string, pod: string, containers: readonly string[]): void {
  showDialog((close) => (
    <Dialog title={`${words.value.terminal}: ${pod}`} large onClose={close}>
      <TerminalPanel namespace={namespace} pod={pod} containers={containers} />
    </Dialog>
  ));
}
