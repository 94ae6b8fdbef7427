import { signal } from '@preact/signals';
import { ask } from '../api';
import { words } from '../i18n';
import { objectPath } from '../kinds';
import { Dialog } from '../ui/dialog';
import { MenuItem } from '../ui/menu';
import { showDialog } from '../ui/shown_dialog';
import { showYaml } from '../ui/yaml_dialog';
import { hasEnded, isHeld, type Job, kindOf } from './job';

/** What the server refused last; stays on the page until it is closed or something works. */
export const refusal = signal('');

export function Refusal() {
  return (
    <div role="alert">
      {refusal.value && (
        <p class="refusal">
          {refusal.value}
          <button
            type="button"
            class="plain"
            aria-label={words.value.close}
            onClick={() => {
              refusal.value = '';
            }}
          >
            ×
          </button>
        </p>
      )}
    </div>
  );
}

async function act(what: string, method: string, job: Job, body?: object): Promise<void> {
  const kind = kindOf(job);
  if (!kind) return;
  const { namespace = '', name } = job.metadata;
  try {
    await ask(method, objectPath(kind, namespace, name), body);
    refusal.value = '';
  } catch (error) {
    refusal.value = words.peek().failed(what, error instanceof Error ? error.message : '');
  }
}

/** Each family of kinds has its own place for it. */
function holding(job: Job, held: boolean): object {
  return kindOf(job)?.group === 'kubeflow.org'
    ? { spec: { runPolicy: { suspend: held } } }
    : { spec: { runMode: { pause: { enabled: held } } } };
}

export function hold(job: Job, held: boolean): void {
  const t = words.peek();
  void act(held ? t.pause : t.resume, 'PATCH', job, holding(job, held));
}

/** Names the very object that was looked at: one of the same name that came since stays. */
function remove(job: Job): void {
  void act(words.peek().delete, 'DELETE', job, {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    propagationPolicy: 'Background',
    preconditions: { uid: job.metadata.uid },
  });
}

export function confirmDeletion(job: Job, done: () => void = () => {}): void {
  const { name, namespace = '' } = job.metadata;
  showDialog((close) => {
    const t = words.value;
    return (
      <Dialog title={t.deleteTitle(name)} onClose={close}>
        <p>{t.deleteText(job.kind ?? '', name, namespace)}</p>
        <div class="bar end">
          <button type="button" onClick={close}>
            {t.cancel}
          </button>
          <button
            type="button"
            class="danger"
            onClick={() => {
              remove(job);
              close();
              done();
            }}
          >
            {t.delete}
          </button>
        </div>
      </Dialog>
    );
  });
}

/** What may be done with a job, as entries of a menu. `gone` is called when its deletion was asked for. */
export function JobActions({ job, gone }: { job: Job; gone?: () => void }) {
  const t = words.value;
  const held = isHeld(job);
  return (
    <>
      <MenuItem onClick={() => showYaml(job)}>{t.yaml}</MenuItem>
      {!hasEnded(job) && (
        <MenuItem onClick={() => hold(job, !held)}>{held ? t.resume : t.pause}</MenuItem>
      )}
      <MenuItem class="red" onClick={() => confirmDeletion(job, gone)}>
        {t.delete}
      </MenuItem>
    </>
  );
}
