import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { HelpButton } from './field';
import { TextField } from './inputs';
import { formWords } from './words';

interface ListProps<T> {
  label: string;
  help?: string;
  items: readonly T[];
  add: () => void;
  remove: (index: number) => void;
  /** Each entry in a box of its own, for those of many fields. */
  boxed?: boolean;
  children: (item: T, index: number) => ComponentChildren;
}

/** Entries with ⊖ each, and ⊕ for one more. */
export function ListField<T>({
  label,
  help,
  items,
  add,
  remove,
  boxed = false,
  children,
}: ListProps<T>) {
  const t = formWords.value;
  const id = useId();
  const more = useRef<HTMLButtonElement>(null);
  return (
    <div class="field whole">
      <span class="label">
        <span id={id}>{label}</span>
        {help && <HelpButton label={label} text={help} />}
      </span>
      <ul class="entries" aria-labelledby={id}>
        {items.map((item, index) => (
          <li key={index} class={boxed ? 'entry boxed' : 'entry'}>
            {children(item, index)}
            <button
              type="button"
              class="round less"
              aria-label={t.remove(label, index + 1)}
              title={t.remove(label, index + 1)}
              onClick={() => {
                remove(index);
                // The button goes with its entry: the keyboard stays in the list.
                more.current?.focus();
              }}
            >
              −
            </button>
          </li>
        ))}
      </ul>
      <button
        type="button"
        ref={more}
        class="round"
        aria-label={t.add(label)}
        title={t.add(label)}
        onClick={add}
      >
        +
      </button>
    </div>
  );
}

interface TextListProps {
  label: string;
  help?: string;
  values: readonly string[];
  onInput: (values: string[]) => void;
  code?: boolean;
}

export function TextListField({ label, help, values, onInput, code = false }: TextListProps) {
  return (
    <ListField
      label={label}
      {...(help !== undefined && { help })}
      items={values}
      add={() => onInput([...values, ''])}
      remove={(index) => onInput(values.toSpliced(index, 1))}
    >
      {(value, index) => (
        <TextField
          bare
          label={`${label} ${index + 1}`}
          value={value}
          code={code}
          onInput={(next) => onInput(values.with(index, next))}
        />
      )}
    </ListField>
  );
}
