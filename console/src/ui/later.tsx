import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { words } from '../i18n';

/** A component whose code is loaded when it is first shown, so that it delays no other page. */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const state = signal<{ component?: ComponentType<Props>; failed?: true }>({});
  let asked = false;
  const begin = () => {
    asked = true;
    load().then(
      (component) => {
        state.value = { component };
      },
      () => {
        asked = false;
        state.value = { failed: true };
      },
    );
  };
  return function Later(props: Props) {
    const { component: Loaded, failed } = state.value;
    if (Loaded) return <Loaded {...props} />;
    if (!asked && !failed) begin();
    const t = words.value;
    if (!failed) return <p>{t.loading}</p>;
    return (
      <p role="alert">
        {t.partFailed}{' '}
        <button type="button" onClick={begin}>
          {t.retryNow}
        </button>
      </p>
    );
  };
}
