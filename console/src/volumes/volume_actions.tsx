// What may be done with a volume: expand it, delete it.
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { refusalOf } from '../access';
import { ask } from '../api';
import { words } from '../i18n';
import { type Kind, listKinds, objectPath } from '../kinds';
import { confirmDeletion } from '../objects/actions';
import { MenuItem } from '../ui/menu';
import { showDialog } from '../ui/shown_dialog';
import { showYaml } from '../ui/yaml_dialog';
import { Question } from './file_dialogs';
import {
  type Claim,
  folderOf,
  loses,
  type PodUsingClaims,
  phaseOf,
  sizeOf,
  sizeProblem,
  sizeText,
  usersOf,
  type Volume,
} from './volume';
import { volumeWords } from './words';

const volumeKind: Kind = {
  group: '',
  version: 'v1',
  plural: 'persistentvolumes',
  kind: 'PersistentVolume',
  cluster: true,
};

export async function volumeOf({ spec }: Claim): Promise<Volume | undefined> {
  if (!spec?.volumeName) return undefined;
  return ask<Volume>('GET', objectPath(volumeKind, '', spec.volumeName)).catch(() => undefined);
}

/** Why the user may not do it with the claim; empty when they may. */
export function whyNot(verb: 'patch' | 'delete', { metadata: { namespace = '' } }: Claim): string {
  return refusalOf({ verb, group: '', resource: 'persistentvolumeclaims', namespace });
}

export function whyNotExpand(claim: Claim): string {
  return phaseOf(claim) === 'Bound' ? whyNot('patch', claim) : volumeWords.value.notBound;
}

function ExpandDialog({ claim, close }: { claim: Claim; close: () => void }) {
  const t = volumeWords.value;
  const id = useId();
  const size = useSignal(sizeText(claim));
  const found = sizeProblem(size.value, sizeOf(claim));
  const problem = found && { ...t, notLarger: t.notLarger(sizeText(claim)) }[found];
  const { namespace = '', name } = claim.metadata;
  return (
    <Question
      title={t.expandTitle(name)}
      close={close}
      verb={t.ok}
      problem={problem}
      act={() =>
        ask('PATCH', objectPath(listKinds.volumes, namespace, name), {
          spec: { resources: { requests: { storage: size.peek().trim() } } },
        })
      }
    >
      <p>{t.expandText}</p>
      <label for={id}>{t.size}</label>
      <input
        id={id}
        type="text"
        class="wide"
        value={size.value}
        autocomplete="off"
        aria-describedby={`${id}-problem`}
        onInput={(event) => {
          size.value = event.currentTarget.value;
        }}
      />
      <p class="problem" id={`${id}-problem`}>
        {problem}
      </p>
    </Question>
  );
}

export function expand(claim: Claim): void {
  showDialog((close) => <ExpandDialog claim={claim} close={close} />);
}

/** Says what really happens to the files: that depends on the volume, and on who still uses it. */
export async function confirmVolumeDeletion(claim: Claim, done?: () => void): Promise<void> {
  const { name, namespace = '' } = claim.metadata;
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
  const [volume, pods] = await Promise.all([
    volumeOf(claim),
    ask<{ items: PodUsingClaims[] }>('GET', path).catch(() => ({ items: [] })),
  ]);
  const users = usersOf(claim, pods.items).join(', ');
  confirmDeletion({
    kind: listKinds.volumes,
    object: claim,
    done,
    text: () => {
      const t = volumeWords.value;
      const folder = volume && folderOf(volume);
      const kept = loses(volume) === false && folder;
      const fate = kept ? t.kept(name, namespace, folder) : t.lost(name, namespace);
      return users ? `${fate} ${t.stillUsed(users)}` : fate;
    },
  });
}

export function VolumeActions({ claim }: { claim: Claim }) {
  const t = volumeWords.value;
  return (
    <>
      <MenuItem onClick={() => showYaml(claim)}>{words.value.yaml}</MenuItem>
      <MenuItem reason={whyNotExpand(claim)} onClick={() => expand(claim)}>
        {t.expand}
      </MenuItem>
      <MenuItem
        class="red"
        reason={whyNot('delete', claim)}
        onClick={() => void confirmVolumeDeletion(claim)}
      >
        {words.value.delete}
      </MenuItem>
    </>
  );
}
