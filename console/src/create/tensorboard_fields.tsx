import { SwitchField } from '../ui/form/inputs';
import { has } from './document';
import { BoundSelect, BoundText, BoundTexts } from './fields';
import type { JobForm } from './job_form';
import { useClaims } from './known';
import { createWords } from './words';

const path = ['spec', 'tensorboardSpec'];
const claim = [...path, 'logDir', 'pvc', 0];

export function TensorBoardFields({ form }: { form: JobForm }) {
  const t = createWords.value;
  const on = has(form.value.value, path);
  return (
    <SwitchField
      label={t.tensorboard}
      on={on}
      onInput={(next) => form.toggle(path, next, { image: 'tensorflow/tensorflow:2.14.0' })}
    >
      {on && <Inside form={form} />}
    </SwitchField>
  );
}

function Inside({ form }: { form: JobForm }) {
  const t = createWords.value;
  const claims = useClaims(form.namespace.value);
  const limits = [...path, 'resources', 'limits'];
  return (
    <>
      <BoundText form={form} path={[...path, 'image']} label={t.image} required />
      <BoundSelect
        form={form}
        path={[...claim, 'name']}
        label={t.logPvc}
        required
        options={claims}
      />
      <BoundText form={form} path={[...limits, 'cpu']} label={t.cpuLimit} placeholder="1" />
      <BoundText form={form} path={[...limits, 'memory']} label={t.memoryLimit} placeholder="1Gi" />
      <BoundTexts
        form={form}
        path={[...claim, 'subPath']}
        label={t.logPaths}
        help={t.logPathsHelp}
      />
    </>
  );
}
