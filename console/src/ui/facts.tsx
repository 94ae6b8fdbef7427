import type { ComponentChildren } from 'preact';

/** One entry of a `<dl class="facts">`, which has two columns. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
