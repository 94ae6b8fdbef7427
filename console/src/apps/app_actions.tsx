import { words } from '../i18n';
import { listKinds } from '../kinds';
import { RowNote } from '../list/row';
import { confirmDeletion, mayNot } from '../objects/actions';
import { goTo, listHref } from '../route';
import { ActionButton } from '../ui/action_button';
import { MenuItem } from '../ui/menu';
import { showYaml, YamlButton } from '../ui/yaml_dialog';
import { type App, statusOfApp, troubleOfApp } from './app';
import { AppLink, type AppPage, suspend } from './app_link';
import { appWords } from './words';

interface Props {
  page: AppPage;
  app: App;
}

function Pause({ page, app, class: look = '' }: Props & { class?: string }) {
  const t = words.value;
  const held = app.spec?.suspend ?? false;
  return (
    <ActionButton
      class={look}
      reason={mayNot('patch', listKinds[page], app.metadata.namespace)}
      onClick={() => suspend(page, app, !held)}
    >
      {held ? t.resume : t.pause}
    </ActionButton>
  );
}

/** Open and Pause; of one that is held, Resume. */
export function OpenAndPause({ page, app }: Props) {
  const t = words.value;
  return (
    <span class="pair">
      {statusOfApp(app) === 'Running' ? (
        <AppLink app={app}>{t.openApp}</AppLink>
      ) : (
        <span class="off" title={appWords.value.notYet}>
          {t.openApp}
        </span>
      )}
      <Pause page={page} app={app} class="plain" />
    </span>
  );
}

function deleteApp({ page, app }: Props, gone?: () => void): void {
  const { name, namespace = '' } = app.metadata;
  const text = () =>
    page === 'notebooks'
      ? appWords.value.deleteNotebook(name, namespace)
      : appWords.value.deleteBoard(name, namespace);
  confirmDeletion({ kind: listKinds[page], object: app, text, done: gone });
}

export function AppMenu({ page, app }: Props) {
  const t = words.value;
  return (
    <>
      <MenuItem onClick={() => showYaml(app)}>{t.yaml}</MenuItem>
      <MenuItem
        class="red"
        reason={mayNot('delete', listKinds[page], app.metadata.namespace)}
        onClick={() => deleteApp({ page, app })}
      >
        {t.delete}
      </MenuItem>
    </>
  );
}

/** The same on the page of one app. */
export function AppButtons({ page, app }: Props) {
  const t = words.value;
  const leave = () => {
    goTo(listHref(page));
  };
  return (
    <>
      {statusOfApp(app) === 'Running' && (
        <AppLink app={app} class="button primary">
          {t.openApp}
        </AppLink>
      )}
      <Pause page={page} app={app} />
      <YamlButton object={app} />
      <ActionButton
        class="red"
        reason={mayNot('delete', listKinds[page], app.metadata.namespace)}
        onClick={() => deleteApp({ page, app }, leave)}
      >
        {t.delete}
      </ActionButton>
    </>
  );
}

/** Why it does not serve, below its name; often with the command that mends it. */
export function AppTrouble({ app }: { app: App }) {
  const text = troubleOfApp(app);
  return text ? <RowNote text={text} failed={app.status?.phase === 'Failed'} /> : null;
}
