import './form.css';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Menu } from '../menu';
import { formWords } from './words';

/** What every field of a form has. */
export interface FieldProps {
  label: string;
  required?: boolean;
  /** Explained behind a (?). */
  help?: string;
  /** What is wrong with it, in red below. */
  error?: string | undefined;
  /** Stands below in any case, such as what is free. */
  hint?: string | undefined;
  /** The label is for screen readers only: in a list that says it once. */
  bare?: boolean;
  /** Over the whole width of the form. */
  whole?: boolean;
}

/** What the control needs so that its label, its error and its hint are told with it. */
export interface ControlProps {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': 'true' | undefined;
  'aria-required': 'true' | undefined;
}

export function HelpButton({ label, text }: { label: string; text: string }) {
  return (
    <Menu face="(?)" label={formWords.value.help(label)} class="help">
      {() => <p class="tip">{text}</p>}
    </Menu>
  );
}

function Star() {
  return (
    <span class="star" aria-hidden="true">
      *
    </span>
  );
}

/** A label above a control, with what belongs to it. */
export function Field({
  label,
  required = false,
  help,
  error,
  hint,
  bare = false,
  whole = false,
  children,
}: FieldProps & { children: (control: ControlProps) => ComponentChildren }) {
  const id = useId();
  const described = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ');
  return (
    <div class={`field${whole ? ' whole' : ''}${bare ? ' bare' : ''}`}>
      {bare ? (
        <label class="hidden" for={id}>
          {label}
        </label>
      ) : (
        <span class="label">
          <label for={id}>{label}</label>
          {required && <Star />}
          {help && <HelpButton label={label} text={help} />}
        </span>
      )}
      {children({
        id,
        'aria-describedby': described || undefined,
        'aria-invalid': error ? 'true' : undefined,
        'aria-required': required ? 'true' : undefined,
      })}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="wrong" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}
