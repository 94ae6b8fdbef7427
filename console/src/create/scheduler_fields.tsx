import { RadioField } from '../ui/form/inputs';
import { has } from './document';
import { BoundNumber, BoundSelect } from './fields';
import type { ManifestForm } from './job_form';
import { useQueues } from './known';
import { createWords } from './words';

const t9k = ['spec', 'scheduler', 't9kScheduler'];

export function SchedulerFields({ form }: { form: ManifestForm }) {
  const t = createWords.value;
  const on = has(form.value.value, t9k);
  return (
    <RadioField
      label={t.scheduler}
      value={on ? 't9k' : 'default'}
      options={[
        { value: 'default', text: t.defaultScheduler },
        { value: 't9k', text: t.t9kScheduler },
      ]}
      onInput={(chosen) =>
        form.toggle(['spec', 'scheduler'], chosen === 't9k', {
          t9kScheduler: { queue: 'default', priority: 0 },
        })
      }
    >
      {on && <T9kFields form={form} />}
    </RadioField>
  );
}

function T9kFields({ form }: { form: ManifestForm }) {
  const t = createWords.value;
  return (
    <>
      <BoundSelect form={form} path={[...t9k, 'queue']} label={t.queue} options={useQueues()} />
      <BoundNumber
        form={form}
        path={[...t9k, 'priority']}
        label={t.priority}
        help={t.priorityHelp}
        required
        min={0}
        max={100}
      />
    </>
  );
}
