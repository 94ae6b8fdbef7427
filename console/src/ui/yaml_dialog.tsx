import type { KubeObject } from '../live/protocol';
import { CopyButton } from './copy';
import { Dialog } from './dialog';
import { showDialog } from './shown_dialog';
import { manifest } from './yaml';

/** As the object was when it was asked for: a text that changes under the mouse cannot be copied. */
export function showYaml(object: KubeObject): void {
  const text = manifest(object);
  showDialog((close) => (
    <Dialog title={`${object.kind ?? ''} ${object.metadata.name}`} large onClose={close}>
      <div class="bar">
        <CopyButton text={text} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
      <pre class="yaml" tabIndex={0}>
        {text}
      </pre>
    </Dialog>
  ));
}
