// What may be done with an object of any kind.
import { refusalOf } from '../access';
import { ask } from '../api';
import { words } from '../i18n';
import { type Kind, objectPath } from '../kinds';
import type { KubeObject } from '../live/protocol';
import { Dialog } from '../ui/dialog';
import { refusal } from '../ui/refusal';
import { showDialog } from '../ui/shown_dialog';

/** Asks the server to; a refusal is shown on the page, in the server's words. Returns whether it was done. */
export async function act(
  what: string,
  method: string,
  kind: Kind,
  object: KubeObject,
  body?: object,
): Promise<boolean> {
  const { namespace = '', name } = object.metadata;
  try {
    await ask(method, objectPath(kind, namespace, name), body);
    refusal.value = '';
    return true;
  } catch (error) {
    refusal.value = words.peek().failed(what, error instanceof Error ? error.message : '');
    return false;
  }
}

/** Why the user may not do that to objects of the kind; empty when they may. */
export function mayNot(verb: string, { group, plural }: Kind, namespace = ''): string {
  return refusalOf({ verb, group, resource: plural, namespace });
}

/** Names the very object that was looked at: one of the same name that came since stays. */
function remove(kind: Kind, object: KubeObject): void {
  void act(words.peek().delete, 'DELETE', kind, object, {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    propagationPolicy: 'Background',
    preconditions: { uid: object.metadata.uid },
  });
}

export interface Deletion<T extends KubeObject> {
  kind: Kind;
  object: T;
  /** What will be gone, and what stays. */
  text: () => string;
  /** Called when the deletion was asked for. */
  done?: (() => void) | undefined;
}

export function confirmDeletion<T extends KubeObject>(deletion: Deletion<T>): void {
  const { kind, object, text, done } = deletion;
  showDialog((close) => {
    const t = words.value;
    return (
      <Dialog title={t.deleteTitle(object.metadata.name)} onClose={close}>
        <p>{text()}</p>
        <div class="bar end">
          <button type="button" onClick={close}>
            {t.cancel}
          </button>
          <button
            type="button"
            class="danger"
            onClick={() => {
              remove(kind, object);
              close();
              done?.();
            }}
          >
            {t.delete}
          </button>
        </div>
      </Dialog>
    );
  });
}
