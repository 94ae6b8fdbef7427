import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ask } from '../api';
import { ProjectField } from '../create/basic_card';
import { textAt } from '../create/document';
import { BoundSelect, BoundText } from '../create/fields';
import type { ManifestForm } from '../create/job_form';
import { MakePage, type Making } from '../create/make_page';
import { createWords } from '../create/words';
import { fieldPathText } from '../editor/field_path';
import { project } from '../frame/project';
import type { KubeObject } from '../live/protocol';
import { Fold } from '../ui/form/fold';
import { TextField } from '../ui/form/inputs';
import { accessModes, sizeProblem } from './volume';
import { volumeWords } from './words';

interface StorageClass extends KubeObject {
  metadata: KubeObject['metadata'] & { annotations?: Record<string, string> };
}

const name = ['metadata', 'name'];
const size = ['spec', 'resources', 'requests', 'storage'];
const accessMode = ['spec', 'accessModes', 0];
const isDefault = 'storageclass.kubernetes.io/is-default-class';

export const makingVolume: Making = {
  page: 'volumes',
  start: {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: '' },
    spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Gi' } } },
  },
  missing: (value) =>
    [name, size, accessMode].filter((path) => textAt(value, path) === '').map(fieldPathText),
  // The volume that the other one is bound to stays its own.
  cleaned: ({ volumeName: _, ...spec }) => spec,
};

/** The names of the classes, and which of them is taken where none is named. */
function useClasses() {
  const names = useSignal<string[]>([]);
  const preset = useSignal('');
  useEffect(() => {
    void ask<{ items: StorageClass[] }>('GET', '/apis/storage.k8s.io/v1/storageclasses').then(
      ({ items }) => {
        names.value = items.map(({ metadata }) => metadata.name);
        const found = items.find(({ metadata }) => metadata.annotations?.[isDefault] === 'true');
        preset.value = found?.metadata.name ?? '';
      },
      // Who may not see them leaves the choice to the server.
      () => {},
    );
  }, []);
  return { names: names.value, preset: preset.value };
}

function SizeField({ form }: { form: ManifestForm }) {
  const t = volumeWords.value;
  return (
    <TextField
      label={t.size}
      help={t.sizeHelp}
      required
      value={textAt(form.value.value, size)}
      placeholder="1Gi"
      error={form.errorAt(size)}
      onInput={(text) => {
        form.scalar(size, text);
        form.setBroken(size, sizeProblem(text) === 'malformed' ? t.malformed : undefined);
      }}
    />
  );
}

function Fields({ form }: { form: ManifestForm }) {
  const t = volumeWords.value;
  const classes = useClasses();
  return (
    <Fold title={createWords.value.basic}>
      <BoundText form={form} path={name} label={createWords.value.name} required />
      {project.value === '' && <ProjectField form={form} />}
      <SizeField form={form} />
      <BoundSelect
        form={form}
        path={accessMode}
        label={t.accessMode}
        help={t.accessModeHelp}
        required
        options={accessModes}
      />
      <BoundSelect
        form={form}
        path={['spec', 'storageClassName']}
        label={t.storageClass}
        options={classes.names}
        none={classes.preset ? `${t.noClass} (${classes.preset})` : t.noClass}
      />
    </Fold>
  );
}

export function VolumeForm() {
  return <MakePage making={makingVolume}>{(form) => <Fields form={form} />}</MakePage>;
}
