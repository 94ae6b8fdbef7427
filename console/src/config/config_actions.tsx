import { refusalOf } from '../access';
import { words } from '../i18n';
import { type ListPage, listKinds } from '../kinds';
import { confirmDeletion } from '../objects/actions';
import { goTo, objectHref } from '../route';
import { MenuItem } from '../ui/menu';
import { showYaml } from '../ui/yaml_dialog';
import { type ConfigMap, hidden, type Secret } from './entries';
import { configWords } from './words';

export type ConfigPage = Extract<ListPage, 'secrets' | 'configmaps'>;

/** Values of Secrets are shown where somebody asks for them, one by one, not in a text. */
export function showConfigYaml(page: ConfigPage, object: Secret & ConfigMap): void {
  const kind = listKinds[page].kind;
  const shown = page === 'secrets' ? hidden(object, configWords.peek().hidden) : object;
  showYaml({ apiVersion: 'v1', kind, ...shown });
}

export function editHref(page: ConfigPage, { metadata: { namespace = '', name } }: Secret): string {
  return objectHref(page, namespace, name, 'edit');
}

/** Why the user may not do it; empty when they may. */
export function whyNot(
  verb: 'update' | 'delete',
  page: ConfigPage,
  { metadata: { namespace = '' } }: Secret,
): string {
  return refusalOf({ verb, group: '', resource: page, namespace });
}

export function whyNotEdit(page: ConfigPage, object: Secret): string {
  return object.immutable ? configWords.value.immutable : whyNot('update', page, object);
}

export function removeConfig(page: ConfigPage, object: Secret, done?: () => void): void {
  const { name, namespace = '' } = object.metadata;
  const kind = listKinds[page];
  confirmDeletion({
    kind,
    object,
    done,
    text: () => configWords.value.deleteText(kind.kind, name, namespace),
  });
}

export function ConfigActions({ page, object }: { page: ConfigPage; object: Secret & ConfigMap }) {
  const t = configWords.value;
  return (
    <>
      <MenuItem onClick={() => showConfigYaml(page, object)}>{words.value.yaml}</MenuItem>
      <MenuItem
        reason={whyNotEdit(page, object)}
        onClick={() => {
          goTo(editHref(page, object));
        }}
      >
        {t.edit}
      </MenuItem>
      <MenuItem
        class="red"
        reason={whyNot('delete', page, object)}
        onClick={() => removeConfig(page, object)}
      >
        {words.value.delete}
      </MenuItem>
    </>
  );
}
