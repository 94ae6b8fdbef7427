import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface MenuProps {
  /** What the button shows. */
  face: ComponentChildren;
  /** What the button is called, where its face is only a sign. */
  label?: string;
  class?: string;
  /** Drawn while the menu is open only: a table has a menu in each row. */
  children: () => ComponentChildren;
}

/**
 * A button and what it opens. A native popover: on top of everything, closed by Esc or by a click elsewhere.
 * It opens below the button, or above it in the lower part of the window.
 */
export function Menu({ face, label, class: look = '', children }: MenuProps) {
  const id = useId();
  const open = useSignal(false);
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);

  const place = () => {
    const box = panel.current;
    const from = button.current?.getBoundingClientRect();
    if (!box || !from) return;
    // Through the object model, which the Content-Security-Policy allows, unlike style attributes.
    const right = from.left > innerWidth / 2;
    box.style.left = right ? 'auto' : `${from.left}px`;
    box.style.right = right ? `${document.documentElement.clientWidth - from.right}px` : 'auto';
    const above = from.bottom > innerHeight * 0.65;
    box.style.top = above ? 'auto' : `${from.bottom + 4}px`;
    box.style.bottom = above ? `${innerHeight - from.top + 4}px` : 'auto';
  };

  useEffect(() => {
    if (!open.value) return;
    // It is fixed in the window: a page that moves away under it would leave it beside nothing.
    const close = (event: Event) => {
      if (event.target instanceof Node && panel.current?.contains(event.target)) return;
      panel.current?.hidePopover();
    };
    addEventListener('scroll', close, true);
    addEventListener('resize', close);
    return () => {
      removeEventListener('scroll', close, true);
      removeEventListener('resize', close);
    };
  }, [open.value]);

  return (
    <>
      <button
        type="button"
        ref={button}
        class={look}
        aria-label={label}
        title={label}
        aria-expanded={open.value}
        popovertarget={id}
      >
        {face}
      </button>
      <div
        id={id}
        ref={panel}
        class="menu"
        popover="auto"
        onBeforeToggle={({ newState }) => {
          if (newState === 'open') place();
          open.value = newState === 'open';
        }}
      >
        {open.value && children()}
      </div>
    </>
  );
}

interface ItemProps {
  onClick: () => void;
  class?: string;
  current?: boolean;
  /** Why it cannot be chosen now; empty or missing: it can. */
  reason?: string | undefined;
  children: ComponentChildren;
}

export function MenuItem({ onClick, class: look = '', current, reason, children }: ItemProps) {
  return (
    <button
      type="button"
      class={`item ${look}`}
      aria-current={current ? 'true' : undefined}
      // Not `disabled`: the keyboard must reach it, or nobody would hear the reason.
      aria-disabled={reason ? 'true' : undefined}
      onClick={(event) => {
        if (reason) return;
        event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover();
        onClick();
      }}
    >
      <span>
        {children}
        {reason && <small class="why">{reason}</small>}
      </span>
    </button>
  );
}

export function CheckItem(props: {
  checked: boolean;
  onChange: () => void;
  children: ComponentChildren;
}) {
  return (
    <label class="item">
      <input type="checkbox" checked={props.checked} onChange={props.onChange} />
      {props.children}
    </label>
  );
}
