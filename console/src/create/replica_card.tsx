import type { Path } from '../editor/field_path';
import { Fold } from '../ui/form/fold';
import { listAt, setIn, textAt } from './document';
import { EnvFields } from './env_fields';
import { BoundCommand, BoundNumber, BoundSelect, BoundText } from './fields';
import type { JobForm } from './job_form';
import { isOptional } from './needed';
import { containerPath, podPath, replicaPath } from './pod';
import { ResourceFields } from './resource_fields';
import { containerName, countsRestarts, hasCommand, newReplica, nextType, typesOf } from './starts';
import { VolumeFields } from './volume_fields';
import { createWords } from './words';

const list = ['spec', 'replicaSpecs'];

function TypeField({ form, index }: { form: JobForm; index: number }) {
  const t = createWords.value;
  const known = typesOf(form.kind);
  const path = [...replicaPath(index), 'type'];
  if (!known) return <BoundText form={form} path={path} label={t.type} required />;
  const there = listAt(form.value.value, list).map((each) => textAt(each, ['type']));
  const options = known.filter((type) => type === there[index] || !there.includes(type));
  return <BoundSelect form={form} path={path} label={t.type} required options={options} />;
}

function RestartFields({ form, index }: { form: JobForm; index: number }) {
  const t = createWords.value;
  const path = [...replicaPath(index), 'restartPolicy'];
  const policies = ['Never', 'OnFailure', 'Always'];
  if (!countsRestarts(form.kind)) {
    return (
      <BoundSelect
        form={form}
        path={path}
        label={t.restartPolicy}
        options={[...policies, 'ExitCode']}
        none={t.byDefault}
      />
    );
  }
  return (
    <>
      <BoundSelect
        form={form}
        path={[...path, 'policy']}
        label={t.restartPolicy}
        options={policies}
        none={t.byDefault}
      />
      <BoundNumber
        form={form}
        path={[...path, 'limit']}
        label={t.restartLimit}
        placeholder="0"
        min={0}
      />
    </>
  );
}

function CommandFields({ form, container }: { form: JobForm; container: Path }) {
  const t = createWords.value;
  return (
    <>
      <BoundCommand
        form={form}
        path={[...container, 'command']}
        label={t.command}
        help={t.commandHelp}
        placeholder={'python -c "print(42)"'}
        whole
      />
      <BoundCommand form={form} path={[...container, 'args']} label={t.args} whole />
    </>
  );
}

function PodFields({ form, index, type }: { form: JobForm; index: number; type: string }) {
  const t = createWords.value;
  const value = form.value.value;
  const container = containerPath(value, index, containerName(form.kind, type));
  const optional = isOptional(form.kind, type);
  return (
    <>
      <BoundText form={form} path={[...container, 'image']} label={t.image} required={!optional} />
      {hasCommand(form.kind, type) && <CommandFields form={form} container={container} />}
      <ResourceFields form={form} container={container} required={!optional} />
      <BoundText form={form} path={[...container, 'workingDir']} label={t.workingDir} />
      <EnvFields form={form} container={container} />
      <VolumeFields form={form} pod={podPath(index)} container={container} />
    </>
  );
}

/** One type of replicas. */
export function ReplicaCard({ form, index }: { form: JobForm; index: number }) {
  const t = createWords.value;
  const all = listAt(form.value.value, list);
  const type = textAt(all[index], ['type']);
  const remove = all.length > 1 && (
    <button type="button" class="plain red" onClick={() => form.removeEntry(replicaPath(index))}>
      {t.removeType(type)}
    </button>
  );
  return (
    <Fold title={type || `${t.type} ${index + 1}`} tools={remove}>
      <TypeField form={form} index={index} />
      <BoundNumber
        form={form}
        path={[...replicaPath(index), 'replicas']}
        label={t.replicas}
        placeholder="1"
        min={0}
      />
      <RestartFields form={form} index={index} />
      <PodFields form={form} index={index} type={type} />
    </Fold>
  );
}

export function AddType({ form }: { form: JobForm }) {
  const all = listAt(form.value.value, list);
  const next = nextType(
    form.kind,
    all.map((each) => textAt(each, ['type'])),
  );
  return (
    <button
      type="button"
      class="outlined"
      disabled={next === undefined}
      onClick={() => {
        if (next === undefined) return;
        const made = newReplica(form.kind, next);
        form.change((document) => setIn(document, [...list, all.length], made));
      }}
    >
      {createWords.value.addType}
    </button>
  );
}
