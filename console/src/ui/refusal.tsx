import { signal } from '@preact/signals';
import { words } from '../i18n';
import { useBrief } from './show_all';

/** What the server refused, in its own words. It stays until somebody closes it. */
export function RefusalBar({ text, close }: { text: string; close: () => void }) {
  const { shown, more } = useBrief(text);
  return (
    <div role="alert">
      {text && (
        <p class="refusal">
          <span>
            {shown} {more}
          </span>
          <button type="button" class="plain" aria-label={words.value.close} onClick={close}>
            ×
          </button>
        </p>
      )}
    </div>
  );
}

/** What the server refused last; stays on the page until it is closed or something works. */
export const refusal = signal('');

export function Refusal() {
  const close = () => {
    refusal.value = '';
  };
  return <RefusalBar text={refusal.value} close={close} />;
}
