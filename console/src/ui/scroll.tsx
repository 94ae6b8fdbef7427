import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * The place of a table that may be wider than the page. While it is, the keyboard can reach and move it, and a
 * shadow lies on each side on which something is out of sight.
 */
export function Scroll({ label, children }: { label: string; children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  const before = useSignal(false);
  const after = useSignal(false);
  const look = () => {
    if (!box.current) return;
    const { scrollLeft, scrollWidth, clientWidth } = box.current;
    before.value = scrollLeft > 0;
    // Widths are rounded, so a pixel says nothing.
    after.value = scrollLeft + clientWidth < scrollWidth - 1;
  };
  useLayoutEffect(() => {
    const observer = new ResizeObserver(look);
    if (box.current) observer.observe(box.current);
    if (box.current?.firstElementChild) observer.observe(box.current.firstElementChild);
    look();
    return () => observer.disconnect();
  }, []);
  const scrolls = before.value || after.value;
  return (
    <div class={`shelf${before.value ? ' before' : ''}${after.value ? ' after' : ''}`}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields */}
      <div
        ref={box}
        class="scroll"
        role="group"
        aria-label={label}
        tabIndex={scrolls ? 0 : undefined}
        onScroll={look}
      >
        {children}
      </div>
    </div>
  );
}
