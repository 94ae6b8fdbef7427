import { SwitchField } from '../ui/form/inputs';
import { getIn, listAt, setIn, textAt } from './document';
import { BoundCommand } from './fields';
import type { JobForm } from './job_form';
import { createWords } from './words';

const debug = ['spec', 'runMode', 'debug'];
const specs = [...debug, 'replicaSpecs'];

/** How the replicas of one type idle. Its entry in the manifest is made when something is said in it. */
function OfType({ form, type }: { form: JobForm; type: string }) {
  const t = createWords.value;
  const entries = listAt(form.value.value, specs);
  const found = entries.findIndex((each) => textAt(each, ['type']) === type);
  const at = [...specs, found < 0 ? entries.length : found];
  const skips = getIn(form.value.value, [...at, 'skipInitContainer']) === true;
  if (found < 0) {
    return (
      <SwitchField
        label={t.debugCommand(type)}
        on={false}
        onInput={() => form.change((document) => setIn(document, at, { type }))}
      />
    );
  }
  return (
    <SwitchField label={t.debugCommand(type)} on onInput={() => form.removeEntry(at)}>
      <BoundCommand
        form={form}
        path={[...at, 'command']}
        label={t.command}
        placeholder="sleep inf"
        whole
      />
      <SwitchField
        label={t.skipInit(type)}
        on={skips}
        onInput={(on) => form.scalar([...at, 'skipInitContainer'], on || undefined)}
      />
    </SwitchField>
  );
}

export function DebugFields({ form }: { form: JobForm }) {
  const t = createWords.value;
  const value = form.value.value;
  const on = (getIn(value, [...debug, 'enabled']) ?? getIn(value, [...debug, 'enable'])) === true;
  const types = listAt(value, ['spec', 'replicaSpecs']).map((each) => textAt(each, ['type']));
  return (
    <SwitchField
      label={t.debug}
      help={t.debugHelp}
      on={on}
      onInput={(next) => form.toggle(debug, next, { enabled: true })}
    >
      {types.filter(Boolean).map((type) => (
        <OfType key={type} form={form} type={type} />
      ))}
    </SwitchField>
  );
}
