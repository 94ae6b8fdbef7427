import type { Path } from '../editor/field_path';
import { SelectField, TextField } from '../ui/form/inputs';
import { gpuOf } from './coverage';
import { put, textAt } from './document';
import { BoundText } from './fields';
import { useFree } from './free';
import type { ManifestForm } from './job_form';
import { createWords } from './words';

/** The amount stands in both: a GPU is had or not. */
function setGpu(form: ManifestForm, resources: Path, before: string, name: string, amount: string) {
  form.change((document) => {
    for (const part of ['limits', 'requests']) {
      if (before && before !== name) put(document, [...resources, part, before], undefined);
      if (name) put(document, [...resources, part, name], amount || undefined);
    }
  });
}

function GpuFields({ form, container }: { form: ManifestForm; container: Path }) {
  const t = createWords.value;
  const resources = [...container, 'resources'];
  const name = gpuOf(form.value.value, container);
  const amount = textAt(form.value.value, [...resources, 'limits', name]);
  const { known, hint } = useFree();
  return (
    <>
      <SelectField
        label={t.gpu}
        value={name}
        none="-"
        options={[...new Set(['nvidia.com/gpu', ...known])]}
        onInput={(next) => setGpu(form, resources, name, next, amount || '1')}
      />
      {name && (
        <TextField
          label={t.gpuValue}
          value={amount}
          hint={hint(name)}
          onInput={(next) => setGpu(form, resources, name, name, next)}
        />
      )}
    </>
  );
}

export function ResourceFields(props: { form: ManifestForm; container: Path; required: boolean }) {
  const { form, container, required } = props;
  const t = createWords.value;
  const { hint } = useFree();
  const limits = [...container, 'resources', 'limits'];
  const requests = [...container, 'resources', 'requests'];
  return (
    <>
      <BoundText
        form={form}
        path={[...limits, 'cpu']}
        label={t.cpuLimit}
        required={required}
        placeholder="1"
        hint={hint('cpu')}
      />
      <BoundText
        form={form}
        path={[...limits, 'memory']}
        label={t.memoryLimit}
        required={required}
        placeholder="1Gi"
        hint={hint('memory')}
      />
      <BoundText
        form={form}
        path={[...requests, 'cpu']}
        label={t.cpuRequest}
        placeholder={t.asLimit}
      />
      <BoundText
        form={form}
        path={[...requests, 'memory']}
        label={t.memoryRequest}
        placeholder={t.asLimit}
      />
      <GpuFields form={form} container={container} />
    </>
  );
}
