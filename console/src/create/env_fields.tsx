import type { Path } from '../editor/field_path';
import { listKinds } from '../kinds';
import { SelectField, TextField } from '../ui/form/inputs';
import { ListField } from '../ui/form/lists';
import { removeIn, setIn } from './document';
import type { ManifestForm } from './job_form';
import { useNames } from './known';
import { type EnvEntry, type EnvSource, envOf, writeEnv } from './pod';
import { createWords } from './words';

interface EntryProps {
  form: ManifestForm;
  path: Path;
  entry: EnvEntry;
  write: (entry: EnvEntry) => void;
}

/** The object and the key in it, for the two sources that have them. */
function ReferenceFields({ form, path, entry, write }: EntryProps) {
  const t = createWords.value;
  const isSecret = entry.source === 'secretKeyRef';
  const names = useNames(isSecret ? listKinds.secrets : listKinds.configmaps, form.namespace.value);
  const from = [...path, 'valueFrom', entry.source];
  return (
    <>
      <SelectField
        label={t.sources[entry.source]}
        required
        value={entry.object}
        options={names}
        error={form.errorAt([...from, 'name'])}
        onInput={(object) => write({ ...entry, object })}
      />
      <TextField
        label={t.key}
        required
        value={entry.key}
        error={form.errorAt([...from, 'key'])}
        onInput={(key) => write({ ...entry, key })}
      />
    </>
  );
}

function ValueField({ entry, write }: EntryProps) {
  const t = createWords.value;
  if (entry.source === 'other') return null;
  return (
    <TextField
      label={entry.source === 'fieldRef' ? t.field : t.value}
      value={entry.value}
      placeholder={entry.source === 'fieldRef' ? 'metadata.name' : ''}
      onInput={(value) => write({ ...entry, value })}
    />
  );
}

function EnvEntryFields(props: EntryProps) {
  const { form, path, entry, write } = props;
  const t = createWords.value;
  const sources: EnvSource[] = ['value', 'secretKeyRef', 'configMapKeyRef', 'fieldRef'];
  const isReference = entry.source === 'secretKeyRef' || entry.source === 'configMapKeyRef';
  return (
    <div class="fields">
      <TextField
        label={t.name}
        required
        value={entry.name}
        error={form.errorAt([...path, 'name'])}
        onInput={(name) => write({ ...entry, name })}
      />
      <SelectField
        label={t.source}
        value={entry.source}
        options={(entry.source === 'other' ? [entry.source] : sources).map((source) => ({
          value: source,
          text: t.sources[source],
        }))}
        onInput={(source) =>
          write({ ...entry, source: source as EnvSource, value: '', object: '', key: '' })
        }
      />
      {isReference ? <ReferenceFields {...props} /> : <ValueField {...props} />}
    </div>
  );
}

export function EnvFields({ form, container }: { form: ManifestForm; container: Path }) {
  const t = createWords.value;
  const entries = envOf(form.value.value, container);
  const path = [...container, 'env'];
  return (
    <ListField
      label={t.env}
      items={entries}
      add={() =>
        form.change((document) =>
          setIn(document, [...path, entries.length], { name: '', value: '' }),
        )
      }
      remove={(index) => form.change((document) => removeIn(document, [...path, index]))}
    >
      {(entry, index) => (
        <EnvEntryFields
          form={form}
          path={[...path, index]}
          entry={entry}
          write={(next) => form.change((document) => writeEnv(document, container, index, next))}
        />
      )}
    </ListField>
  );
}
