import { SelectField, TextField } from '../ui/form/inputs';
import { ListField } from '../ui/form/lists';
import { listAt, mapAt, setIn, textAt } from './document';
import { BoundNumber, BoundSelect, BoundText } from './fields';
import type { JobForm } from './job_form';
import { cleanUpPolicies } from './run_policy_fields';
import { createWords } from './words';

const ports = ['spec', 'service', 'ports'];

type Row = [type: string, indexes: unknown];

/** `0, 1` as the list that it says; what is no number stays a text, for the server to refuse. */
function indexesOf(text: string): (number | string)[] {
  const parts = text.split(/[\s,]+/).filter((part) => part !== '');
  return parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

function RuleField(props: {
  label: string;
  rule: unknown;
  types: string[];
  write: (rule: object) => void;
}) {
  const { label, rule, types, write } = props;
  const t = createWords.value;
  const rows: Row[] = Object.entries(mapAt(rule, []));
  const put = (next: Row[]) => write(Object.fromEntries(next));
  const free = types.find((type) => !rows.some(([taken]) => taken === type));
  return (
    <ListField
      label={label}
      items={rows}
      add={() => free !== undefined && put([...rows, [free, [0]]])}
      remove={(index) => put(rows.toSpliced(index, 1))}
    >
      {([type, indexes], index) => (
        <div class="fields">
          <SelectField
            label={t.type}
            value={type}
            options={types}
            onInput={(next) => put(rows.with(index, [next, indexes]))}
          />
          <IndexesField
            indexes={Array.isArray(indexes) ? indexes : []}
            onInput={(next) => put(rows.with(index, [type, next]))}
          />
        </div>
      )}
    </ListField>
  );
}

function IndexesField({
  indexes,
  onInput,
}: {
  indexes: unknown[];
  onInput: (indexes: (number | string)[]) => void;
}) {
  // Written when one leaves it: the comma of "0, " is not yet a list.
  return (
    <TextField
      label={createWords.value.indexes}
      value={indexes.join(', ')}
      onLeave={(text) => onInput(indexesOf(text))}
    />
  );
}

function RulesField({ form, field, label }: { form: JobForm; field: string; label: string }) {
  const t = createWords.value;
  const path = ['spec', field];
  const rules = listAt(form.value.value, path);
  const replicas = listAt(form.value.value, ['spec', 'replicaSpecs']);
  const types = replicas.map((each) => textAt(each, ['type']));
  return (
    <ListField
      label={label}
      help={t.rulesHelp}
      items={rules}
      boxed
      add={() => form.put([...path, rules.length], { [types[0] ?? 'worker']: [0] })}
      remove={(index) => form.put([...path, index], undefined)}
    >
      {(rule, index) => (
        <RuleField
          label={`${label} ${index + 1}`}
          rule={rule}
          types={types}
          write={(next) => form.change((document) => setIn(document, [...path, index], next))}
        />
      )}
    </ListField>
  );
}

function PortsField({ form }: { form: JobForm }) {
  const t = createWords.value;
  const all = listAt(form.value.value, ports);
  return (
    <ListField
      label={t.ports}
      items={all}
      add={() =>
        form.change((document) =>
          setIn(document, [...ports, all.length], { name: `port-${all.length + 1}` }),
        )
      }
      remove={(index) => form.put([...ports, index], undefined)}
    >
      {(_, index) => (
        <div class="fields">
          <BoundText form={form} path={[...ports, index, 'name']} label={t.name} />
          <BoundNumber
            form={form}
            path={[...ports, index, 'port']}
            label={t.port}
            required
            min={1}
            max={65535}
          />
          <BoundSelect
            form={form}
            path={[...ports, index, 'protocol']}
            label={t.protocol}
            options={['TCP', 'UDP', 'SCTP']}
            none="TCP"
          />
        </div>
      )}
    </ListField>
  );
}

export function GenericFields({ form }: { form: JobForm }) {
  const t = createWords.value;
  return (
    <>
      <BoundSelect
        form={form}
        path={['spec', 'cleanUpPolicy']}
        label={t.cleanUp}
        help={t.cleanUpHelp}
        options={cleanUpPolicies}
        none={t.byDefault}
      />
      <RulesField form={form} field="successRules" label={t.successRules} />
      <RulesField form={form} field="failureRules" label={t.failureRules} />
      <PortsField form={form} />
    </>
  );
}
