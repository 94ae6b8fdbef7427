import './config.css';
import { useSignal } from '@preact/signals';
import { createWords } from '../create/words';
import { bytes } from '../quantity';
import { Fold } from '../ui/form/fold';
import { SelectField, SwitchField, TextArea, TextField } from '../ui/form/inputs';
import { ListField } from '../ui/form/lists';
import {
  type ConfigMap,
  configMapData,
  dockerConfig,
  dockerKey,
  dockerType,
  type Entry,
  entriesOfConfigMap,
  entriesOfSecret,
  keyProblem,
  noRegistry,
  type Registry,
  registryOf,
  type Secret,
  secretData,
  sizeOfEntry,
  sshKey,
  sshType,
} from './entries';
import { FormPage, makingProject, nameProblem } from './form_page';
import { configWords } from './words';

interface EntriesProps {
  entries: readonly Entry[];
  change: (entries: Entry[]) => void;
  /** Whether what is missing is marked. */
  checked: boolean;
}

function EntryFields({ entries, change, checked }: EntriesProps) {
  const t = configWords.value;
  const set = (index: number, part: Partial<Entry>) =>
    change(entries.map((each, other) => (other === index ? { ...each, ...part } : each)));
  return (
    <ListField
      label={t.entries}
      items={entries}
      boxed
      add={() => change([...entries, { key: '', text: '' }])}
      remove={(index) => change(entries.toSpliced(index, 1))}
    >
      {(entry, index) => {
        const wrong = keyProblem(entries, index);
        const told = wrong && (checked || wrong !== 'missing') ? t.keys[wrong] : undefined;
        return (
          <div class="fields">
            <TextField
              label={t.key}
              required
              whole
              value={entry.key}
              error={told}
              onInput={(key) => set(index, { key })}
            />
            {entry.binary === undefined ? (
              <TextArea
                label={t.value}
                whole
                rows={Math.min(12, Math.max(3, entry.text.split('\n').length))}
                value={entry.text}
                onInput={(text) => set(index, { text })}
              />
            ) : (
              <p class="whole">{t.binary(bytes(sizeOfEntry(entry)))}</p>
            )}
          </div>
        );
      }}
    </ListField>
  );
}

const isWhole = (entries: readonly Entry[]) =>
  entries.every((_, index) => keyProblem(entries, index) === undefined);

export function ConfigMapForm({ changed }: { changed?: ConfigMap }) {
  const t = configWords.value;
  const name = useSignal(changed?.metadata.name ?? '');
  const entries = useSignal<readonly Entry[]>(
    changed ? entriesOfConfigMap(changed) : [{ key: '', text: '' }],
  );
  const checked = useSignal(false);
  const wrongName = nameProblem(name.value);
  const object = (): ConfigMap => {
    const {
      data: _,
      binaryData: __,
      ...kept
    } = changed ?? {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: name.peek().trim(), namespace: makingProject() },
    };
    return { ...(kept as ConfigMap), ...configMapData(entries.peek()) };
  };
  return (
    <FormPage<ConfigMap>
      page="configmaps"
      title={changed ? t.editing(name.value) : t.createConfigMap}
      {...(changed && { changed })}
      object={object}
      check={() => {
        checked.value = true;
        return !wrongName && isWhole(entries.peek());
      }}
      take={(from) => {
        name.value = from.metadata.name;
        entries.value = entriesOfConfigMap(from);
      }}
    >
      <Fold title={createWords.value.basic}>
        {!changed && (
          <NameField
            value={name.value}
            error={checked.value ? wrongName : undefined}
            set={(next) => {
              name.value = next;
            }}
          />
        )}
        <EntryFields
          entries={entries.value}
          checked={checked.value}
          change={(next) => {
            entries.value = next;
          }}
        />
      </Fold>
    </FormPage>
  );
}

function NameField(props: {
  value: string;
  error: string | undefined;
  set: (name: string) => void;
}) {
  return (
    <TextField
      label={createWords.value.name}
      required
      value={props.value}
      error={props.error}
      onInput={props.set}
    />
  );
}

interface RegistryProps {
  registry: Registry;
  checked: boolean;
  set: (registry: Registry) => void;
}

function RegistryFields({ registry, checked, set }: RegistryProps) {
  const t = configWords.value;
  const field = (name: keyof Registry, label: string, required: boolean) => (
    <TextField
      label={label}
      required={required}
      value={registry[name]}
      error={required && checked && registry[name] === '' ? t.required : undefined}
      onInput={(text) => set({ ...registry, [name]: text })}
    />
  );
  return (
    <>
      {field('server', t.registry, true)}
      {field('user', t.user, true)}
      <div class="secret">{field('password', t.password, true)}</div>
      {field('email', t.email, false)}
    </>
  );
}

/** What a form of a Secret holds; which parts count depends on the type. */
interface SecretState {
  name: string;
  type: string;
  entries: readonly Entry[];
  registry: Registry;
  /** Of SSH. */
  privateKey: string;
}

function stateOf(secret: Secret | undefined): SecretState {
  const entries = secret ? entriesOfSecret(secret) : [{ key: '', text: '' }];
  const text = (key: string) => entries.find((each) => each.key === key)?.text ?? '';
  return {
    name: secret?.metadata.name ?? '',
    type: secret?.type ?? 'Opaque',
    entries,
    registry: registryOf(text(dockerKey)) ?? noRegistry,
    privateKey: text(sshKey),
  };
}

/** A form of its own where the type has one, and the secret is as such a form makes it. */
function shapeOf({ type, entries }: SecretState, changed: boolean): 'registry' | 'ssh' | 'entries' {
  const only = (key: string) => !changed || (entries.length === 1 && entries[0]?.key === key);
  if (type === dockerType && only(dockerKey)) return 'registry';
  return type === sshType && only(sshKey) ? 'ssh' : 'entries';
}

function dataOf(state: SecretState, changed: boolean): Record<string, string> {
  switch (shapeOf(state, changed)) {
    case 'registry':
      return secretData([{ key: dockerKey, text: dockerConfig(state.registry) }]);
    case 'ssh': {
      // ssh refuses keys whose last line has no end.
      const text = state.privateKey.endsWith('\n') ? state.privateKey : `${state.privateKey}\n`;
      return secretData([{ key: sshKey, text }]);
    }
    default:
      return secretData(state.entries);
  }
}

function isComplete(state: SecretState, changed: boolean): boolean {
  const { server, user, password } = state.registry;
  switch (shapeOf(state, changed)) {
    case 'registry':
      return server !== '' && user !== '' && password !== '';
    case 'ssh':
      return state.privateKey.trim() !== '';
    default:
      return isWhole(state.entries);
  }
}

export function SecretForm({ changed }: { changed?: Secret }) {
  const t = configWords.value;
  const state = useSignal(stateOf(changed));
  const checked = useSignal(false);
  // What somebody types they may see; what was there is hidden until it is asked for.
  const shown = useSignal(!changed);
  const now = state.value;
  const set = (part: Partial<SecretState>) => {
    state.value = { ...state.peek(), ...part };
  };
  const isChanged = changed !== undefined;
  const wrongName = nameProblem(now.name);
  const object = (): Secret => ({
    ...(changed ?? {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: now.name.trim(), namespace: makingProject() },
      type: now.type,
    }),
    data: dataOf(state.peek(), isChanged),
  });
  const shape = shapeOf(now, isChanged);
  return (
    <FormPage<Secret>
      page="secrets"
      title={changed ? t.editing(now.name) : t.createSecret}
      {...(changed && { changed })}
      object={object}
      check={() => {
        checked.value = true;
        return !wrongName && isComplete(state.peek(), isChanged);
      }}
      take={(from) => {
        state.value = stateOf(from);
      }}
    >
      <Fold title={createWords.value.basic}>
        {!changed && (
          <>
            <NameField
              value={now.name}
              error={checked.value ? wrongName : undefined}
              set={(name) => set({ name })}
            />
            <SelectField
              label={t.type}
              required
              value={now.type}
              options={Object.entries(t.types).map(([value, text]) => ({ value, text }))}
              onInput={(type) => set({ type })}
            />
          </>
        )}
        {changed && (
          <SwitchField
            label={t.showAll}
            on={shown.value}
            onInput={(on) => {
              shown.value = on;
            }}
          />
        )}
        <div class={shown.value ? 'whole' : 'whole veiled'}>
          <div class="fields">
            {shape === 'registry' && (
              <RegistryFields
                registry={now.registry}
                checked={checked.value}
                set={(registry) => set({ registry })}
              />
            )}
            {shape === 'ssh' && (
              <TextArea
                label={t.privateKey}
                required
                whole
                rows={10}
                value={now.privateKey}
                error={checked.value && now.privateKey.trim() === '' ? t.required : undefined}
                onInput={(privateKey) => set({ privateKey })}
              />
            )}
            {shape === 'entries' && (
              <EntryFields
                entries={now.entries}
                checked={checked.value}
                change={(entries) => set({ entries })}
              />
            )}
          </div>
        </div>
      </Fold>
    </FormPage>
  );
}

export const NewSecret = () => <SecretForm />;
export const NewConfigMap = () => <ConfigMapForm />;
