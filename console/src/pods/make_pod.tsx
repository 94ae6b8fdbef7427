import { ProjectField } from '../create/basic_card';
import { listAt, removeIn, setIn, textAt } from '../create/document';
import { EnvFields } from '../create/env_fields';
import { BoundCommand, BoundSelect, BoundText } from '../create/fields';
import { useAskFree } from '../create/free';
import type { ManifestForm } from '../create/job_form';
import { MakePage, type Making } from '../create/make_page';
import { ResourceFields } from '../create/resource_fields';
import { VolumeFields } from '../create/volume_fields';
import { createWords } from '../create/words';
import { project } from '../frame/project';
import { Fold } from '../ui/form/fold';
import { copyOfPod, missingOfPod, newContainer, startOfPod } from './pod_form';
import { podWords } from './words';

const making: Making = {
  page: 'pods',
  start: startOfPod,
  missing: missingOfPod,
  cleaned: copyOfPod,
};

type ContainerList = 'containers' | 'initContainers';

interface ContainerProps {
  form: ManifestForm;
  list: ContainerList;
  index: number;
}

function ContainerCard({ form, list, index }: ContainerProps) {
  const t = createWords.value;
  const own = podWords.value;
  const path = ['spec', list, index];
  const all = listAt(form.value.value, ['spec', list]);
  const name = textAt(all[index], ['name']) || String(index + 1);
  const title = list === 'containers' ? own.container(name) : own.initContainer(name);
  const removable = list === 'initContainers' || all.length > 1;
  const remove = removable && (
    <button
      type="button"
      class="plain red"
      onClick={() => form.change((document) => removeIn(document, path))}
    >
      {t.removeType(title)}
    </button>
  );
  return (
    <Fold title={title} tools={remove}>
      <BoundText form={form} path={[...path, 'name']} label={t.name} required />
      <BoundText form={form} path={[...path, 'image']} label={t.image} required />
      <BoundCommand
        form={form}
        path={[...path, 'command']}
        label={t.command}
        help={t.commandHelp}
        whole
      />
      <BoundCommand form={form} path={[...path, 'args']} label={t.args} whole />
      <ResourceFields form={form} container={path} required={false} />
      <BoundText form={form} path={[...path, 'workingDir']} label={t.workingDir} />
      <EnvFields form={form} container={path} />
      <VolumeFields form={form} pod={['spec']} container={path} />
    </Fold>
  );
}

function AddContainer({ form, list }: { form: ManifestForm; list: ContainerList }) {
  const own = podWords.value;
  const count = listAt(form.value.value, ['spec', list]).length;
  const base = list === 'containers' ? 'container' : 'init';
  return (
    <button
      type="button"
      class="outlined"
      onClick={() => {
        const made = newContainer(`${base}-${count + 1}`);
        form.change((document) => setIn(document, ['spec', list, count], made));
      }}
    >
      {list === 'containers' ? own.addContainer : own.addInitContainer}
    </button>
  );
}

function Fields({ form }: { form: ManifestForm }) {
  const t = createWords.value;
  const cards = (list: ContainerList) =>
    listAt(form.value.value, ['spec', list]).map((_, index) => (
      <ContainerCard key={`${list} ${index}`} form={form} list={list} index={index} />
    ));
  return (
    <>
      <Fold title={t.basic}>
        <BoundText form={form} path={['metadata', 'name']} label={t.name} required />
        {project.value === '' && <ProjectField form={form} />}
        <BoundSelect
          form={form}
          path={['spec', 'restartPolicy']}
          label={t.restartPolicy}
          options={['Always', 'OnFailure', 'Never']}
          none={t.byDefault}
        />
      </Fold>
      {cards('initContainers')}
      {cards('containers')}
      <div class="bar">
        <AddContainer form={form} list="initContainers" />
        <AddContainer form={form} list="containers" />
      </div>
    </>
  );
}

export function MakePod() {
  useAskFree();
  return <MakePage making={making}>{(form) => <Fields form={form} />}</MakePage>;
}
