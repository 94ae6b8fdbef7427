// The fields of forms. They hold nothing: the value comes in, each change goes out.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Field, type FieldProps, HelpButton } from './field';
import { formWords } from './words';

interface TextProps extends FieldProps {
  value: string;
  onInput?: (value: string) => void;
  /** Told once, when the user goes elsewhere: for texts that are nothing while they are typed. */
  onLeave?: (value: string) => void;
  placeholder?: string;
  /** For commands and the like: letters of one width. */
  code?: boolean;
  /** Known values that are offered; others may be typed. */
  options?: readonly string[];
}

export function TextField({
  value,
  onInput,
  onLeave,
  placeholder,
  code,
  options,
  ...field
}: TextProps) {
  const list = useId();
  return (
    <Field {...field}>
      {(control) => (
        <>
          <input
            {...control}
            type="text"
            class={code ? 'code' : ''}
            value={value}
            placeholder={placeholder}
            list={options ? list : undefined}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => onInput?.(event.currentTarget.value)}
            onChange={(event) => onLeave?.(event.currentTarget.value)}
          />
          {options && (
            <datalist id={list}>
              {options.map((option) => (
                <option key={option} value={option} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  );
}

export function TextArea({
  value,
  onInput,
  rows = 4,
  ...field
}: FieldProps & { value: string; onInput: (value: string) => void; rows?: number }) {
  return (
    <Field {...field}>
      {(control) => (
        <textarea
          {...control}
          class="code"
          rows={rows}
          spellcheck={false}
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface NumberProps extends FieldProps {
  /** Undefined: the field is empty. */
  value: number | undefined;
  onInput: (value: number | undefined) => void;
  min?: number;
  max?: number;
  placeholder?: string;
}

export function NumberField({ value, onInput, min, max, placeholder, ...field }: NumberProps) {
  return (
    <Field {...field}>
      {(control) => (
        <input
          {...control}
          type="number"
          value={value ?? ''}
          min={min}
          max={max}
          step={1}
          placeholder={placeholder}
          onInput={({ currentTarget }) => {
            const { valueAsNumber } = currentTarget;
            onInput(Number.isNaN(valueAsNumber) ? undefined : valueAsNumber);
          }}
        />
      )}
    </Field>
  );
}

export interface Option {
  value: string;
  text: string;
}

interface SelectProps extends FieldProps {
  /** Empty: nothing is chosen. */
  value: string;
  onInput: (value: string) => void;
  options: readonly (Option | string)[];
  /** What the choice of nothing is called; undefined: something must be chosen. */
  none?: string | undefined;
}

/** A value that is not among the options stays, as one more of them. */
export function SelectField({ value, onInput, options, none, ...field }: SelectProps) {
  const all = options.map((each) =>
    typeof each === 'string' ? { value: each, text: each } : each,
  );
  if (value !== '' && !all.some((each) => each.value === value)) all.push({ value, text: value });
  const empty = none ?? (value === '' ? formWords.value.notChosen : undefined);
  return (
    <Field {...field}>
      {(control) => (
        <select {...control} value={value} onChange={(event) => onInput(event.currentTarget.value)}>
          {empty !== undefined && <option value="">{empty}</option>}
          {all.map((each) => (
            <option key={each.value} value={each.value}>
              {each.text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface SwitchProps {
  label: string;
  help?: string;
  on: boolean;
  onInput: (on: boolean) => void;
  /** Shown in a box below while it is on. */
  children?: ComponentChildren;
}

export function SwitchField({ label, help, on, onInput, children }: SwitchProps) {
  return (
    <div class="field whole">
      <div class="switch">
        <label>
          <input
            type="checkbox"
            role="switch"
            aria-checked={on}
            checked={on}
            onChange={(event) => onInput(event.currentTarget.checked)}
          />
          {label}
        </label>
        {help && <HelpButton label={label} text={help} />}
      </div>
      {on && children && (
        <div class="block">
          <div class="fields">{children}</div>
        </div>
      )}
    </div>
  );
}

interface RadioProps {
  label: string;
  help?: string;
  value: string;
  onInput: (value: string) => void;
  options: readonly Option[];
  children?: ComponentChildren;
}

export function RadioField({ label, help, value, onInput, options, children }: RadioProps) {
  const name = useId();
  return (
    <div class="field whole">
      <span class="label">
        <span id={name}>{label}</span>
        {help && <HelpButton label={label} text={help} />}
      </span>
      <div class="radios" role="radiogroup" aria-labelledby={name}>
        {options.map((option) => (
          <label key={option.value}>
            <input
              type="radio"
              name={name}
              checked={option.value === value}
              onChange={() => onInput(option.value)}
            />
            {option.text}
          </label>
        ))}
      </div>
      {children && (
        <div class="block">
          <div class="fields">{children}</div>
        </div>
      )}
    </div>
  );
}
