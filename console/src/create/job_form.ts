// The state of the form. The text of the manifest is all there is: fields read from it and write into it.
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { fieldPathText, type Path } from '../editor/field_path';
import { readManifests } from '../editor/manifest';
import { editorWords } from '../editor/words';
import type { CreatableJob } from '../kinds';
import { formWords } from '../ui/form/words';
import { partsOf, wholeOf } from './beside';
import { type Change, edited, getIn, put, putScalar, removeIn, setIn, textAt } from './document';
import { missingFields } from './needed';

/** The form of an object of any kind. */
export class ManifestForm {
  readonly text;
  /** The manifests of what is made with it, such as its script. */
  readonly beside;
  /** What the text says. */
  readonly value: ReadonlySignal<Record<string, unknown>>;
  /** The project that the object will be in, as far as the text says one. */
  readonly namespace: ReadonlySignal<string>;
  /** What the server, or the text itself, has against it, until the next change. */
  readonly refusal = signal('');
  /** What the server said about single fields, until the next change. */
  readonly told = signal<ReadonlyMap<string, string>>(new Map());
  /** What stands in a field and cannot be part of the text, such as an open quote. */
  readonly broken = signal<ReadonlyMap<string, string>>(new Map());
  /** Counts how often entries have changed places. */
  readonly moves = signal(0);
  /** Nobody is told of empty fields before they have tried to send them. */
  readonly tried = signal(false);

  /** What stood in it before, as long as that is worth anything. */
  readonly earlier = signal<string | undefined>(undefined);

  /** What it began with. */
  #first: string;
  readonly #switchedOff = new Map<string, unknown>();
  readonly #missing: ReadonlySignal<ReadonlySet<string>>;

  /** `missing` names the required fields that are empty, by their paths as the server spells them. */
  constructor(text: string, missing: (value: Record<string, unknown>) => readonly string[]) {
    const parts = partsOf(text);
    this.text = signal(parts.text);
    this.beside = signal(parts.beside);
    this.#first = parts.text;
    this.value = computed(
      () => readManifests(this.text.value, editorWords.peek()).manifests[0]?.value ?? {},
    );
    this.namespace = computed(() => textAt(this.value.value, ['metadata', 'namespace']));
    this.#missing = computed(() => new Set(missing(this.value.value)));
  }

  /** Everything anew, from another text. What somebody has filled in can be brought back. */
  replace(text: string): void {
    if (this.isChanged()) this.earlier.value = this.whole();
    const parts = partsOf(text);
    this.text.value = parts.text;
    this.beside.value = parts.beside;
    this.#first = parts.text;
    this.broken.value = new Map();
    this.told.value = new Map();
    this.refusal.value = '';
    this.tried.value = false;
  }

  /** Everything that is to be made. */
  whole(): string {
    const parts = { text: this.text.peek(), beside: this.beside.peek() };
    return wholeOf(parts, this.namespace.peek());
  }

  /** Whether somebody has filled in something since. */
  isChanged(): boolean {
    return this.text.peek() !== this.#first;
  }

  /** What it says has become an object: nobody needs to keep it. */
  sent(): void {
    this.#first = this.text.peek();
  }

  restore(): void {
    const text = this.earlier.peek();
    if (text === undefined) return;
    this.earlier.value = undefined;
    this.replace(text);
  }

  change(change: Change): void {
    this.told.value = new Map();
    this.refusal.value = '';
    try {
      this.text.value = edited(this.text.peek(), change);
    } catch (error) {
      // Aliases and the like, which only the text can change.
      this.refusal.value = error instanceof Error ? error.message : String(error);
    }
  }

  put(path: Path, value: unknown): void {
    this.change((document) => put(document, path, value));
  }

  scalar(path: Path, value: string | number | boolean | undefined): void {
    this.change((document) => putScalar(document, path, value));
  }

  /** Removes an entry of a list. Those behind it move up: what was typed in one must not stand in another. */
  removeEntry(path: Path): void {
    this.broken.value = new Map();
    this.moves.value++;
    this.change((document) => removeIn(document, path));
  }

  /** A block of fields behind a switch. What it had before it was switched off comes back with it. */
  toggle(path: Path, on: boolean, initial: unknown): void {
    const name = fieldPathText(path);
    if (!on) this.#switchedOff.set(name, getIn(this.value.peek(), path));
    const value = on ? (this.#switchedOff.get(name) ?? initial) : undefined;
    this.change((document) => (on ? setIn(document, path, value) : removeIn(document, path)));
  }

  /** What is wrong with the field, if something is. */
  errorAt(path: Path): string | undefined {
    const name = fieldPathText(path);
    const said = this.broken.value.get(name) ?? this.told.value.get(name);
    if (said) return said;
    return this.tried.value && this.#missing.value.has(name) ? formWords.value.missing : undefined;
  }

  setBroken(path: Path, message: string | undefined): void {
    const next = new Map(this.broken.peek());
    if (message === undefined) next.delete(fieldPathText(path));
    else next.set(fieldPathText(path), message);
    this.broken.value = next;
  }

  /** Whether it may be sent; from now on empty fields are marked. */
  check(): boolean {
    this.tried.value = true;
    return this.#missing.value.size === 0 && this.broken.value.size === 0;
  }
}

export class JobForm extends ManifestForm {
  readonly kind: CreatableJob;

  constructor(kind: CreatableJob, text: string) {
    super(text, (value) => missingFields(kind, value));
    this.kind = kind;
  }
}
