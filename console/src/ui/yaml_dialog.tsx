import { words } from '../i18n';
import type { KubeObject } from '../live/protocol';
import { ActionButton } from './action_button';
import { CopyButton } from './copy';
import { Dialog } from './dialog';
import { later } from './later';
import { showDialog } from './shown_dialog';
import { manifest } from './yaml';

const YamlText = later(async () => (await import('./yaml_text')).YamlText);

export function YamlButton({ object }: { object: KubeObject }) {
  return <ActionButton onClick={() => showYaml(object)}>{words.value.yaml}</ActionButton>;
}

/** As the object was when it was asked for: a text that changes under the mouse cannot be copied. */
export function showYaml(object: KubeObject): void {
  const text = manifest(object);
  showDialog((close) => (
    <Dialog title={`${object.kind ?? ''} ${object.metadata.name}`} large onClose={close}>
      <div class="bar">
        <CopyButton text={text} />
      </div>
      <YamlText text={text} label={words.value.yaml} />
    </Dialog>
  ));
}
