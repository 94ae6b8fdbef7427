import { SwitchField } from '../ui/form/inputs';
import { has } from './document';
import { BoundNumber, BoundSelect } from './fields';
import type { JobForm } from './job_form';
import { createWords } from './words';

const path = ['spec', 'runPolicy'];

export const cleanUpPolicies = ['None', 'Unfinished', 'All'];

function PyTorchOnly({ form }: { form: JobForm }) {
  const t = createWords.value;
  return (
    <>
      <BoundSelect
        form={form}
        path={[...path, 'restartScope']}
        label={t.restartScope}
        help={t.restartScopeHelp}
        options={['Replica', 'Job']}
        none={t.byDefault}
      />
      <BoundSelect
        form={form}
        path={[...path, 'onReplicaFailure']}
        label={t.onReplicaFailure}
        options={['Continue', 'StopJob']}
        none={t.byDefault}
      />
    </>
  );
}

export function RunPolicyFields({ form }: { form: JobForm }) {
  const t = createWords.value;
  return (
    <SwitchField
      label={t.runPolicy}
      on={has(form.value.value, path)}
      onInput={(on) => form.toggle(path, on, { backoffLimit: 3, cleanUpPolicy: 'None' })}
    >
      <BoundNumber
        form={form}
        path={[...path, 'backoffLimit']}
        label={t.backoffLimit}
        help={t.backoffLimitHelp}
        placeholder="3"
        min={0}
      />
      <BoundSelect
        form={form}
        path={[...path, 'cleanUpPolicy']}
        label={t.cleanUp}
        help={t.cleanUpHelp}
        options={cleanUpPolicies}
        none={t.byDefault}
      />
      <BoundNumber
        form={form}
        path={[...path, 'activeDeadlineSeconds']}
        label={t.deadline}
        help={t.deadlineHelp}
        min={1}
      />
      {form.kind === 'PyTorchTrainingJob' && <PyTorchOnly form={form} />}
    </SwitchField>
  );
}
