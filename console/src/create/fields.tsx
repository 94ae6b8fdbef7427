// Fields of the shared kinds, each bound to a place in the manifest.
import { useSignal } from '@preact/signals';
import type { Path } from '../editor/field_path';
import type { FieldProps } from '../ui/form/field';
import { NumberField, SelectField, TextField } from '../ui/form/inputs';
import { TextListField } from '../ui/form/lists';
import { numberAt, textAt, textsAt } from './document';
import type { ManifestForm } from './job_form';
import { joinWords, splitWords } from './shell_words';
import { createWords } from './words';

/** Where in the manifest, and how it is called. */
export interface BoundProps extends Omit<FieldProps, 'error'> {
  form: ManifestForm;
  path: Path;
}

export function BoundText({
  form,
  path,
  ...rest
}: BoundProps & { placeholder?: string; options?: readonly string[]; code?: boolean }) {
  return (
    <TextField
      {...rest}
      value={textAt(form.value.value, path)}
      error={form.errorAt(path)}
      onInput={(value) => form.scalar(path, value)}
    />
  );
}

export function BoundNumber({
  form,
  path,
  ...rest
}: BoundProps & { min?: number; max?: number; placeholder?: string }) {
  return (
    <NumberField
      {...rest}
      value={numberAt(form.value.value, path)}
      error={form.errorAt(path)}
      onInput={(value) => form.scalar(path, value)}
    />
  );
}

export function BoundSelect({
  form,
  path,
  ...rest
}: BoundProps & { options: readonly string[]; none?: string }) {
  return (
    <SelectField
      {...rest}
      value={textAt(form.value.value, path)}
      error={form.errorAt(path)}
      onInput={(value) => form.scalar(path, value)}
    />
  );
}

export function BoundTexts({
  form,
  path,
  label,
  help,
}: {
  form: ManifestForm;
  path: Path;
  label: string;
  help?: string;
}) {
  return (
    <TextListField
      label={label}
      {...(help !== undefined && { help })}
      values={textsAt(form.value.value, path)}
      code
      onInput={(values) => form.put(path, values)}
    />
  );
}

/**
 * A list of words as one line. What is being typed stays as it is typed, as long as it says what the manifest says:
 * the space behind the last word is no word yet.
 */
export function BoundCommand({ form, path, ...rest }: BoundProps & { placeholder?: string }) {
  const typed = useSignal<string | undefined>(undefined);
  const words = textsAt(form.value.value, path);
  const split = typed.value === undefined ? undefined : splitWords(typed.value);
  const stands = split && 'words' in split ? joinWords(split.words) === joinWords(words) : !!split;
  const line = stands && typed.value !== undefined ? typed.value : joinWords(words);
  return (
    <TextField
      {...rest}
      code
      value={line}
      error={form.errorAt(path)}
      onInput={(next) => {
        typed.value = next;
        const result = splitWords(next);
        if ('unclosed' in result) {
          form.setBroken(path, createWords.peek().unclosed(result.unclosed));
          return;
        }
        form.setBroken(path, undefined);
        form.put(path, result.words);
      }}
    />
  );
}
