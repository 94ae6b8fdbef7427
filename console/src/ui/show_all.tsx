import { useSignal } from '@preact/signals';
import { words } from '../i18n';
import { brief } from './brief';

/** A refusal in brief, and a button that shows all of it where there is more. */
export function useBrief(text: string) {
  const whole = useSignal('');
  const short = brief(text);
  const isCut = short !== text && whole.value !== text;
  const more = isCut && (
    <button
      type="button"
      class="plain"
      onClick={() => {
        whole.value = text;
      }}
    >
      {words.value.showAll}
    </button>
  );
  return { shown: isCut ? short : text, more };
}
