import type { ComponentChildren } from 'preact';
import { words } from '../i18n';
import { type ListPage, listKinds } from '../kinds';
import type { KubeObject } from '../live/protocol';
import { act } from '../objects/actions';
import { objectHref } from '../route';
import { Phase } from '../ui/phase';
import { type App, openHref, statusOfApp } from './app';

export type AppPage = Extract<ListPage, 'notebooks' | 'tensorboards'>;

/** Opens what a notebook or a TensorBoard serves in a tab of its own; the server logs the user in there. */
export function AppLink(props: { app: KubeObject; class?: string; children: ComponentChildren }) {
  const { app, class: look = '', children } = props;
  return (
    <a class={look} href={openHref(app)} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

export function suspend(page: AppPage, app: KubeObject, suspended: boolean): void {
  const t = words.peek();
  const what = suspended ? t.pause : t.resume;
  void act(what, 'PATCH', listKinds[page], app, { spec: { suspend: suspended } });
}

/** How an app is, and what can be done about it: one that runs is opened, one that failed says why on its page. */
export function AppState({ page, app }: { page: AppPage; app: App }) {
  const status = statusOfApp(app);
  const phase = <Phase phase={status} />;
  if (status === 'Running') return <AppLink app={app}>{phase}</AppLink>;
  if (status === 'Failed') {
    const { namespace = '', name } = app.metadata;
    return <a href={objectHref(page, namespace, name)}>{phase}</a>;
  }
  if (status !== 'Suspended') return phase;
  return (
    <>
      {phase}{' '}
      <button type="button" class="plain" onClick={() => suspend(page, app, false)}>
        {words.value.resume}
      </button>
    </>
  );
}
