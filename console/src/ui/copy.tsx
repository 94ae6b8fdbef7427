import { useSignal } from '@preact/signals';
import { words } from '../i18n';

/** Plain http on another address than loopback has no clipboard: there a selection is copied the old way. */
async function copy(text: string, near: HTMLElement): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const box = document.createElement('textarea');
  box.value = text;
  near.append(box);
  box.select();
  document.execCommand('copy');
  box.remove();
}

function Sign({ done }: { done: boolean }) {
  return (
    <svg class="sign" viewBox="0 0 16 16" aria-hidden="true">
      <path d={done ? 'M3 8.5l3.5 3.5 6.5-7.5' : 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z'} />
    </svg>
  );
}

/** `small`: a sign, for texts in tables. */
export function CopyButton({ text, small = false }: { text: string; small?: boolean }) {
  const t = words.value;
  const done = useSignal(false);
  const word = done.value ? t.copied : t.copy;
  return (
    <button
      type="button"
      class={small ? 'plain' : ''}
      aria-label={small ? word : undefined}
      title={small ? word : undefined}
      onClick={(event) => {
        const near = event.currentTarget.parentElement ?? document.body;
        void copy(text, near).then(() => {
          done.value = true;
        });
      }}
    >
      {small ? <Sign done={done.value} /> : word}
    </button>
  );
}
