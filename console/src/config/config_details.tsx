import './config.css';
import { useSignal } from '@preact/signals';
import { words } from '../i18n';
import { listKinds, resourceOf } from '../kinds';
import { useLiveOne } from '../live/pool';
import { Details } from '../objects/details';
import type { ObjectRoute } from '../objects/pages';
import { bytes } from '../quantity';
import { goTo, listHref } from '../route';
import { ExactTime } from '../time';
import { CopyButton } from '../ui/copy';
import { Fact } from '../ui/facts';
import { Labels } from '../ui/labels';
import { later } from '../ui/later';
import { Scroll } from '../ui/scroll';
import {
  type ConfigPage,
  editHref,
  removeConfig,
  showConfigYaml,
  whyNot,
  whyNotEdit,
} from './config_actions';
import {
  type ConfigMap,
  type Entry,
  entriesOfConfigMap,
  entriesOfSecret,
  type Secret,
  sizeOfEntry,
} from './entries';
import { configWords } from './words';

function Value({ entry, secret }: { entry: Entry; secret: boolean }) {
  const t = configWords.value;
  const shown = useSignal(!secret);
  if (entry.binary !== undefined) return <>{t.binary(bytes(sizeOfEntry(entry)))}</>;
  return (
    <>
      <div class="bar">
        {secret && (
          <button
            type="button"
            aria-expanded={shown.value}
            onClick={() => {
              shown.value = !shown.value;
            }}
          >
            {shown.value ? t.hide(entry.key) : t.show(entry.key)}
          </button>
        )}
        <CopyButton text={entry.text} />
      </div>
      {shown.value && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
        <pre class="value" tabIndex={0}>
          {entry.text}
        </pre>
      )}
    </>
  );
}

function Entries({ entries, secret }: { entries: readonly Entry[]; secret: boolean }) {
  const t = configWords.value;
  return (
    <section aria-labelledby="entries-title">
      <h2 id="entries-title">{t.entries}</h2>
      {entries.length === 0 ? (
        <p>{words.value.none}</p>
      ) : (
        <Scroll label={t.entries}>
          <table class="stack">
            <thead>
              <tr>
                <th scope="col">{t.key}</th>
                <th scope="col">{t.size}</th>
                <th scope="col">{t.value}</th>
              </tr>
            </thead>
            <tbody>
              {entries.map((entry) => (
                <tr key={entry.key}>
                  <th scope="row">{entry.key}</th>
                  <td class="keep">{t.bytes(sizeOfEntry(entry))}</td>
                  <td class="entry-value">
                    <Value entry={entry} secret={secret} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </section>
  );
}

function Buttons({ page, object }: { page: ConfigPage; object: Secret & ConfigMap }) {
  const t = configWords.value;
  return (
    <>
      <button type="button" onClick={() => showConfigYaml(page, object)}>
        {words.value.yaml}
      </button>
      <button
        type="button"
        disabled={whyNotEdit(page, object) !== ''}
        title={whyNotEdit(page, object)}
        onClick={() => {
          goTo(editHref(page, object));
        }}
      >
        {t.edit}
      </button>
      <button
        type="button"
        class="red"
        disabled={whyNot('delete', page, object) !== ''}
        title={whyNot('delete', page, object)}
        onClick={() =>
          removeConfig(page, object, () => {
            goTo(listHref(page));
          })
        }
      >
        {words.value.delete}
      </button>
    </>
  );
}

function Facts({ page, object }: { page: ConfigPage; object: Secret & ConfigMap }) {
  const t = words.value;
  const { name, namespace, uid, labels, creationTimestamp } = object.metadata;
  return (
    <>
      <dl class="facts">
        <Fact name={t.name}>{name}</Fact>
        <Fact name={t.project}>{namespace}</Fact>
        <Fact name={t.uid}>{uid}</Fact>
        {page === 'secrets' && <Fact name={t.type}>{object.type ?? '-'}</Fact>}
        <Fact name={t.created}>
          <ExactTime at={creationTimestamp} />
        </Fact>
        <Fact name={t.labels}>
          <Labels labels={labels} />
        </Fact>
      </dl>
      <Entries
        entries={page === 'secrets' ? entriesOfSecret(object) : entriesOfConfigMap(object)}
        secret={page === 'secrets'}
      />
    </>
  );
}

/** Forms come with what reads YAML: who only looks does without. */
const SecretForm = later(async () => (await import('./config_forms')).SecretForm);
const ConfigMapForm = later(async () => (await import('./config_forms')).ConfigMapForm);

/** Edits what was there when the page was opened: others' changes meanwhile are the server's to refuse. */
function Editing({ page, object }: { page: ConfigPage; object: Secret & ConfigMap }) {
  const first = useSignal({ apiVersion: 'v1', kind: listKinds[page].kind, ...object });
  return page === 'secrets' ? (
    <SecretForm changed={first.value} />
  ) : (
    <ConfigMapForm changed={first.value} />
  );
}

export function ConfigDetails({ at }: { at: ObjectRoute }) {
  const page = at.list as ConfigPage;
  const { namespace, name } = at;
  const { collection } = useLiveOne<Secret & ConfigMap>(resourceOf(listKinds[page], namespace));
  const object = collection.get(`${namespace}/${name}`);
  if (at.tab === 'edit' && object) return <Editing page={page} object={object} />;
  return (
    <Details<Secret & ConfigMap>
      at={at}
      buttons={(shown) => <Buttons page={page} object={shown} />}
    >
      {(shown) => <Facts page={page} object={shown} />}
    </Details>
  );
}
