import { useSignal } from '@preact/signals';
import { ask } from '../api';
import { words } from '../i18n';
import { collectionPath, kindId, objectPath } from '../kinds';
import { goTo, jobHref } from '../route';
import { Dialog } from '../ui/dialog';
import { showDialog } from '../ui/shown_dialog';
import { debugCopy, type Scaling, scaled, wantedReplicas } from './change';
import { type Job, kindOf } from './job';
import { jobWords } from './words';

interface AskProps {
  title: string;
  text: string;
  field: string;
  /** What stands in the field at first. */
  value: string;
  numeric?: boolean;
  verb: string;
  /** What is wrong with what was typed; empty: nothing. */
  check: (value: string) => string;
  /** Asks the server. A refusal is shown, and what was typed stays. */
  send: (value: string) => Promise<void>;
  close: () => void;
}

function Ask({ title, text, field, value, numeric, verb, check, send, close }: AskProps) {
  const typed = useSignal(value);
  const problem = useSignal('');
  const busy = useSignal(false);
  const submit = async () => {
    problem.value = check(typed.value);
    if (problem.value) return;
    busy.value = true;
    try {
      await send(typed.value);
      close();
    } catch (error) {
      problem.value = error instanceof Error ? error.message : String(error);
    }
    busy.value = false;
  };
  return (
    <Dialog title={title} onClose={close}>
      <form
        class="ask"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <p>{text}</p>
        <label>
          {field}
          <input
            inputMode={numeric ? 'numeric' : 'text'}
            value={typed.value}
            aria-invalid={problem.value !== ''}
            onInput={(event) => {
              typed.value = event.currentTarget.value;
            }}
          />
        </label>
        <div role="alert">{problem.value && <p class="refusal">{problem.value}</p>}</div>
        <div class="bar end">
          <button type="button" onClick={close}>
            {words.value.cancel}
          </button>
          <button type="submit" class="primary" disabled={busy.value}>
            {verb}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

export function askScale(job: Job, bounds: Scaling): void {
  const kind = kindOf(job);
  const { namespace = '', name } = job.metadata;
  if (!kind) return;
  showDialog((close) => {
    const t = jobWords.value;
    return (
      <Ask
        title={t.scaleTitle(name)}
        text={t.scaleText(bounds.least, bounds.most)}
        field={t.scaleCount}
        value={String(bounds.now)}
        numeric
        verb={t.scale}
        check={(text) =>
          wantedReplicas(text, bounds) === undefined ? t.scaleBounds(bounds.least, bounds.most) : ''
        }
        send={async (text) => {
          await ask('PATCH', objectPath(kind, namespace, name), scaled(job, Number(text)));
        }}
        close={close}
      />
    );
  });
}

/** Debug mode cannot be switched on in a job that is there: a copy gets it, and is shown. */
export function askDebug(job: Job): void {
  const kind = kindOf(job);
  const { namespace = '', name } = job.metadata;
  if (!kind) return;
  showDialog((close) => {
    const t = jobWords.value;
    return (
      <Ask
        title={t.debugTitle(name)}
        text={t.debugText}
        field={t.debugName}
        value={`${name}-debug`}
        verb={t.create}
        check={() => ''}
        send={async (copy) => {
          await ask('POST', collectionPath(kind, namespace), debugCopy(job, copy.trim()));
          goTo(jobHref(namespace, kindId(kind), copy.trim()));
        }}
        close={close}
      />
    );
  });
}
