import type { Path } from '../editor/field_path';
import { type Kind, listKinds } from '../kinds';
import { SelectField, SwitchField, TextField } from '../ui/form/inputs';
import { ListField } from '../ui/form/lists';
import { put, setIn } from './document';
import { BoundText } from './fields';
import type { ManifestForm } from './job_form';
import { useNames } from './known';
import {
  addMount,
  freeVolumeName,
  isSharedMemory,
  type Mount,
  mountsOf,
  objectFields,
  removeMount,
  renameVolume,
  setSharedMemory,
  type VolumeType,
  volumeTypes,
} from './pod';
import { createWords } from './words';

interface PodProps {
  form: ManifestForm;
  pod: Path;
  container: Path;
}

function SharedMemory({ form, pod, container }: PodProps) {
  const t = createWords.value;
  const value = form.value.value;
  const there = mountsOf(value, pod, container).find(isSharedMemory);
  return (
    <SwitchField
      label={t.shm}
      help={t.shmHelp}
      on={there !== undefined}
      onInput={(on) =>
        form.change((document) => setSharedMemory(document, value, pod, container, on))
      }
    >
      {there && (
        <BoundText
          form={form}
          path={[...pod, 'volumes', there.volume, 'emptyDir', 'sizeLimit']}
          label={t.shmSize}
          placeholder={t.memoryLimit}
        />
      )}
    </SwitchField>
  );
}

const objectKinds: Record<VolumeType, Kind | undefined> = {
  persistentVolumeClaim: listKinds.volumes,
  configMap: listKinds.configmaps,
  secret: listKinds.secrets,
  emptyDir: undefined,
};

/** What a volume of a type begins with, when the user turns to that type. */
function emptySource(type: VolumeType): object {
  const field = objectFields[type];
  return { [type]: field ? { [field]: '' } : {} };
}

interface MountProps extends PodProps {
  mount: Mount;
}

function ObjectField({ form, pod, mount, type }: MountProps & { type: VolumeType }) {
  const kind = objectKinds[type] as Kind;
  const names = useNames(kind, form.namespace.value);
  const path = [...pod, 'volumes', mount.volume, type, objectFields[type] as string];
  return (
    <SelectField
      label={volumeTypes[type]}
      required
      value={mount.object}
      options={names}
      error={form.errorAt(path)}
      onInput={(next) => form.change((document) => setIn(document, path, next))}
    />
  );
}

function MountFields(props: MountProps) {
  const { form, pod, container, mount } = props;
  const t = createWords.value;
  const at = [...container, 'volumeMounts', mount.mount];
  const { type } = mount;
  const retype = (next: VolumeType) =>
    form.change((document) => {
      const volume = [...pod, 'volumes', mount.volume];
      if (type) put(document, [...volume, type], undefined);
      const [[key, source] = ['', {}]] = Object.entries(emptySource(next));
      setIn(document, [...volume, key], source);
    });
  return (
    <div class="fields">
      {type ? (
        <SelectField
          label={t.type}
          required
          value={type}
          options={Object.entries(volumeTypes).map(([value, text]) => ({ value, text }))}
          onInput={(next) => retype(next as VolumeType)}
        />
      ) : (
        <SelectField
          label={t.type}
          value=""
          none={t.sources.other}
          options={[]}
          onInput={() => {}}
        />
      )}
      {type && objectKinds[type] && <ObjectField {...props} type={type} />}
      <TextField
        label={t.bindName}
        required
        value={mount.name}
        error={form.errorAt([...at, 'name'])}
        onInput={(name) =>
          form.change((document) => renameVolume(document, form.value.peek(), pod, mount, name))
        }
      />
      <BoundText form={form} path={[...at, 'mountPath']} label={t.bindPath} required />
      <BoundText form={form} path={[...at, 'subPath']} label={t.subPath} />
      <SwitchField
        label={t.readOnly}
        on={mount.readOnly}
        onInput={(on) => form.scalar([...at, 'readOnly'], on || undefined)}
      />
    </div>
  );
}

export function VolumeFields(props: PodProps) {
  const { form, pod, container } = props;
  const t = createWords.value;
  const value = form.value.value;
  const mounts = mountsOf(value, pod, container).filter((each) => !isSharedMemory(each));
  return (
    <>
      <ListField
        label={t.volumes}
        items={mounts}
        boxed
        add={() => {
          const name = freeVolumeName(value, pod, 'data');
          const made = { name, source: emptySource('persistentVolumeClaim'), path: '' };
          form.change((document) => addMount(document, value, pod, container, made));
        }}
        remove={(index) => {
          const gone = mounts[index];
          if (gone) form.change((document) => removeMount(document, value, pod, container, gone));
        }}
      >
        {(mount) => <MountFields {...props} mount={mount} />}
      </ListField>
      <SharedMemory {...props} />
    </>
  );
}
