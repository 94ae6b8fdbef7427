import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { words } from '../i18n';

interface DialogProps {
  title: string;
  /** Large ones are for texts: logs, manifests. */
  large?: boolean;
  onClose: () => void;
  children: ComponentChildren;
}

/** Open as long as it is drawn. The native element keeps the keyboard inside and closes at Esc. */
export function Dialog({ title, large = false, onClose, children }: DialogProps) {
  const id = useId();
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => box.current?.showModal(), []);
  return (
    <dialog ref={box} class={large ? 'large' : ''} aria-labelledby={id} onClose={onClose}>
      <header>
        <h2 id={id}>{title}</h2>
        <button
          type="button"
          class="plain"
          aria-label={words.value.close}
          onClick={() => box.current?.close()}
        >
          ×
        </button>
      </header>
      {children}
    </dialog>
  );
}
