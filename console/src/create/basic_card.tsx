import { project } from '../frame/project';
import { namespaceKind } from '../kinds';
import { Fold } from '../ui/form/fold';
import { DebugFields } from './debug_fields';
import { has } from './document';
import { BoundSelect, BoundText } from './fields';
import { GenericFields } from './generic_fields';
import type { JobForm, ManifestForm } from './job_form';
import { useNames } from './known';
import { MpiFields } from './mpi_fields';
import { RunPolicyFields } from './run_policy_fields';
import { SchedulerFields } from './scheduler_fields';
import { TensorBoardFields } from './tensorboard_fields';
import { TorchrunFields } from './torchrun_fields';
import { createWords } from './words';

/** Only where no project is chosen for the whole console. */
export function ProjectField({ form }: { form: ManifestForm }) {
  const names = useNames(namespaceKind, '');
  const t = createWords.value;
  return (
    <BoundSelect
      form={form}
      path={['metadata', 'namespace']}
      label={t.project}
      options={names}
      none="default"
    />
  );
}

/** What the kind has besides what all have, in the order of the form. */
function OfKind({ form }: { form: JobForm }) {
  switch (form.kind) {
    case 'PyTorchTrainingJob':
      return <TorchrunFields form={form} />;
    case 'MPIJob':
      return <MpiFields form={form} />;
    case 'GenericJob':
      return <GenericFields form={form} />;
    default:
      return null;
  }
}

export function BasicCard({ form }: { form: JobForm }) {
  const t = createWords.value;
  const { kind } = form;
  const named = has(form.value.value, ['metadata', 'generateName']);
  const hasRunPolicy = kind !== 'MPIJob' && kind !== 'GenericJob';
  const hasTensorBoard = kind === 'PyTorchTrainingJob' || kind === 'TensorFlowTrainingJob';
  return (
    <Fold title={t.basic}>
      <BoundText
        form={form}
        path={['metadata', 'name']}
        label={t.name}
        help={t.nameHelp}
        required={!named}
      />
      {project.value === '' && <ProjectField form={form} />}
      <OfKind form={form} />
      <SchedulerFields form={form} />
      {hasRunPolicy && <RunPolicyFields form={form} />}
      {hasTensorBoard && <TensorBoardFields form={form} />}
      <DebugFields form={form} />
    </Fold>
  );
}
