import { useSignal } from '@preact/signals';
import { words } from '../i18n';

const most = 280;

/** The beginning of a text that would fill the page; the rest of it on demand. */
export function LongText({ text }: { text: string }) {
  const whole = useSignal(false);
  if (whole.value || text.length <= most) return <>{text}</>;
  return (
    <>
      {text.slice(0, most).trimEnd()}…{' '}
      <button
        type="button"
        class="plain"
        onClick={() => {
          whole.value = true;
        }}
      >
        {words.value.showAll}
      </button>
    </>
  );
}
