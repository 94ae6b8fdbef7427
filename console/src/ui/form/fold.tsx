import './form.css';
import type { ComponentChildren } from 'preact';

interface FoldProps {
  title: string;
  /** Buttons in the corner of the card. */
  tools?: ComponentChildren;
  children: ComponentChildren;
}

/** A card of a form that folds with its head. */
export function Fold({ title, tools, children }: FoldProps) {
  return (
    <div class="fold">
      <details open>
        <summary>
          <h2>{title}</h2>
        </summary>
        <div class="inside">
          <div class="fields">{children}</div>
        </div>
      </details>
      {tools && <div class="tools">{tools}</div>}
    </div>
  );
}
