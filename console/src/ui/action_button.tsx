import type { ComponentChildren } from 'preact';

interface ActionButtonProps {
  onClick: () => void;
  class?: string;
  /** Why it cannot be done now; empty or missing: it can. */
  reason?: string | undefined;
  children: ComponentChildren;
}

/** A button that says why it cannot be used: by its tooltip, and read aloud. Not `disabled`: the keyboard must reach it, or nobody would hear the reason. */
export function ActionButton({ onClick, class: look = '', reason, children }: ActionButtonProps) {
  return (
    <button
      type="button"
      class={look}
      title={reason || undefined}
      aria-disabled={reason ? 'true' : undefined}
      aria-description={reason || undefined}
      onClick={() => {
        if (!reason) onClick();
      }}
    >
      {children}
    </button>
  );
}
