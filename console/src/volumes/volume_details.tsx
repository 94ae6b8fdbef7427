import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { words } from '../i18n';
import { listKinds, resourceOf } from '../kinds';
import { useLive } from '../live/pool';
import { useSnapshot } from '../live/snapshot';
import { ConditionsAndEvents, Details } from '../objects/details';
import type { ObjectRoute } from '../objects/pages';
import { goTo, listHref, objectHref } from '../route';
import { ExactTime } from '../time';
import { Fact } from '../ui/facts';
import { Labels } from '../ui/labels';
import { Phase } from '../ui/phase';
import { Tabs } from '../ui/tabs';
import { YamlButton } from '../ui/yaml_dialog';
import { FileBrowser } from './file_browser';
import {
  type Claim,
  folderOf,
  isReadOnly,
  type PodUsingClaims,
  phaseOf,
  sizeText,
  usersOf,
  type Volume,
} from './volume';
import { confirmVolumeDeletion, expand, volumeOf, whyNot, whyNotExpand } from './volume_actions';
import { volumeWords } from './words';

function UsedBy({ claim }: { claim: Claim }) {
  const { namespace = '' } = claim.metadata;
  const pods = useSnapshot(useLive<PodUsingClaims>([resourceOf(listKinds.pods, namespace)]));
  const users = usersOf(claim, pods);
  if (users.length === 0) return <>{volumeWords.value.nobody}</>;
  return (
    <>
      {users.map((name) => (
        <div key={name}>
          <a href={objectHref('pods', namespace, name)}>{name}</a>
        </div>
      ))}
    </>
  );
}

function Facts({ claim }: { claim: Claim }) {
  const t = volumeWords.value;
  const all = words.value;
  const volume = useSignal<Volume | undefined>(undefined);
  const bound = claim.spec?.volumeName;
  useEffect(() => {
    void volumeOf(claim).then((found) => {
      volume.value = found;
    });
  }, [bound]);
  const { name, namespace = '', uid, labels, creationTimestamp } = claim.metadata;
  return (
    <>
      <dl class="facts">
        <Fact name={all.name}>{name}</Fact>
        <Fact name={all.project}>{namespace}</Fact>
        <Fact name={all.uid}>{uid ?? '-'}</Fact>
        <Fact name={t.phase}>
          <Phase phase={phaseOf(claim)} />
        </Fact>
        <Fact name={t.size}>{sizeText(claim)}</Fact>
        <Fact name={all.accessModes}>{claim.spec?.accessModes?.join(', ') || '-'}</Fact>
        <Fact name={all.storageClass}>{claim.spec?.storageClassName || '-'}</Fact>
        <Fact name={t.readOnly}>{isReadOnly(claim) ? t.yes : t.no}</Fact>
        <Fact name={t.volume}>{bound || '-'}</Fact>
        <Fact name={t.reclaimPolicy}>
          {volume.value?.spec?.persistentVolumeReclaimPolicy ?? '-'}
        </Fact>
        <Fact name={t.folder}>{(volume.value && folderOf(volume.value)) ?? '-'}</Fact>
        <Fact name={all.created}>
          <ExactTime at={creationTimestamp} />
        </Fact>
        <Fact name={t.usedBy}>
          <UsedBy claim={claim} />
        </Fact>
        <Fact name={all.labels}>
          <Labels labels={labels} />
        </Fact>
      </dl>
      <ConditionsAndEvents object={claim} />
    </>
  );
}

function Buttons({ claim }: { claim: Claim }) {
  const t = volumeWords.value;
  return (
    <>
      <YamlButton object={claim} />
      <button
        type="button"
        disabled={whyNotExpand(claim) !== ''}
        title={whyNotExpand(claim)}
        onClick={() => expand(claim)}
      >
        {t.expand}
      </button>
      <button
        type="button"
        class="red"
        disabled={whyNot('delete', claim) !== ''}
        title={whyNot('delete', claim)}
        onClick={() =>
          void confirmVolumeDeletion(claim, () => {
            goTo(listHref('volumes'));
          })
        }
      >
        {words.value.delete}
      </button>
    </>
  );
}

/** A volume, and its files. */
export function VolumeDetails({ at }: { at: ObjectRoute }) {
  const t = volumeWords.value;
  const { namespace, name } = at;
  const inFiles = at.tab === 'files';
  const tab = (which: string, text: string) => ({
    href: objectHref('volumes', namespace, name, which),
    text,
    current: inFiles === (which === 'files'),
  });
  return (
    <Details<Claim> at={at} buttons={(claim) => <Buttons claim={claim} />}>
      {(claim) => (
        <>
          <Tabs label={name} tabs={[tab('', t.facts), tab('files', t.files)]} />
          {inFiles ? <FileBrowser namespace={namespace} name={name} /> : <Facts claim={claim} />}
        </>
      )}
    </Details>
  );
}
