import './create.css';
import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks';
import type { CreatableJob } from '../kinds';
import { query } from '../route';
import { RefusalBar } from '../ui/refusal';
import { BasicCard } from './basic_card';
import { namesBeside } from './beside';
import { hiddenFields } from './coverage';
import { importFrom, keepUnsent, newForm, offerUnsent } from './deeds';
import { listAt } from './document';
import { useAskFree } from './free';
import { Head } from './head';
import type { JobForm } from './job_form';
import { Lacks } from './lacks';
import { AddType, ReplicaCard } from './replica_card';
import { createWords } from './words';

/** What the text says besides what the fields show. */
function Kept({ form }: { form: JobForm }) {
  const hidden = hiddenFields(form.kind, form.value.value);
  if (hidden.length === 0) return null;
  return (
    <section class="kept" aria-label={createWords.value.onlyInText}>
      {createWords.value.onlyInText}
      <ul>
        {hidden.map((field) => (
          <li key={field}>
            <code>{field}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What is made with the job: the fields do not show it. */
function Beside({ form }: { form: JobForm }) {
  const t = createWords.value;
  const names = namesBeside(form.beside.value);
  if (names.length === 0) return null;
  return (
    <section class="kept" aria-label={t.createdWith}>
      <details>
        <summary>
          {t.createdWith} {names.join(', ')}
        </summary>
        <pre>{form.beside.value}</pre>
      </details>
    </section>
  );
}

/** The form of one kind. The caller gives it the address as `key`: another address is another form. */
export function CreateJob({ kind }: { kind: CreatableJob }) {
  const form = useMemo(() => newForm(kind), []);
  useAskFree();
  // Other effects end only after the next page was drawn, which may be this one again.
  useLayoutEffect(() => {
    offerUnsent(form);
    return () => keepUnsent(form);
  }, [form]);
  useEffect(() => {
    const from = new URLSearchParams(query.peek()).get('from');
    if (from) void importFrom(form, from);
  }, [form]);
  const types = listAt(form.value.value, ['spec', 'replicaSpecs']);
  return (
    <>
      <section class="card create-head" aria-labelledby="create-title">
        <header>
          <h1 id="create-title">{form.kind}</h1>
        </header>
        <Head form={form} />
        <RefusalBar
          text={form.refusal.value}
          close={() => {
            form.refusal.value = '';
          }}
        />
      </section>
      <Lacks value={form.value.value} />
      <Beside form={form} />
      <Kept form={form} />
      <BasicCard form={form} />
      {types.map((_, index) => (
        <ReplicaCard key={`${form.moves.value} ${index}`} form={form} index={index} />
      ))}
      <AddType form={form} />
    </>
  );
}
