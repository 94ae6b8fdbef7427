import { SwitchField } from '../ui/form/inputs';
import { getIn } from './document';
import { BoundNumber, BoundSelect, BoundText, BoundTexts } from './fields';
import type { JobForm } from './job_form';
import { createWords } from './words';

const path = ['spec', 'torchrunConfig'];

export function TorchrunFields({ form }: { form: JobForm }) {
  const t = createWords.value;
  const value = form.value.value;
  const on = (getIn(value, [...path, 'enabled']) ?? getIn(value, [...path, 'enable'])) === true;
  return (
    <SwitchField
      label={t.torchrun}
      help={t.torchrunHelp}
      on={on}
      onInput={(next) => form.toggle(path, next, { enabled: true })}
    >
      <BoundNumber
        form={form}
        path={[...path, 'maxRestarts']}
        label={t.maxRestarts}
        placeholder="3"
        min={0}
      />
      <BoundText
        form={form}
        path={[...path, 'procPerNode']}
        label={t.procPerNode}
        help={t.procPerNodeHelp}
        placeholder="1"
      />
      <BoundSelect
        form={form}
        path={[...path, 'rdzvBackend']}
        label={t.rdzvBackend}
        options={['c10d', 'etcd', 'etcd-v2']}
        none={t.byDefault}
      />
      <BoundTexts form={form} path={[...path, 'extraOptions']} label={t.extraOptions} />
    </SwitchField>
  );
}
