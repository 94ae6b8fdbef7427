import './editor.css';
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useBrief } from '../ui/show_all';
import { allProblems } from './all_problems';
import { checkText } from './check_text';
import { type CodeView, openCodeView } from './code_view';
import type { Problem } from './manifest';
import { editorWords } from './words';

/**
 * An editor for manifests of any kind. It finds the schema by the apiVersion and kind that the text itself says, and
 * from it completes, explains under the mouse and marks what is wrong, also in a list below, so that nobody needs the
 * mouse or colours. For the whole dialog with Create and Cancel take `previewYaml` of preview.tsx.
 *
 * The text is shown as it is given at first; a later `text` that differs from what stands in the editor replaces it.
 * `marks` are problems from elsewhere, such as the server's refusal (`submit` makes them); they are shown until the
 * text or they themselves change.
 */
export interface YamlEditorProps {
  text: string;
  label: string;
  onInput?: (text: string) => void;
  /** What the editor itself has found, after each check; without `marks`. */
  onProblems?: (problems: readonly Problem[]) => void;
  marks?: readonly Problem[];
  readOnly?: boolean;
  /** Whether the keyboard goes to it at once. */
  focus?: boolean;
}

/** Typing is not held up by checks, nor marked before a word is whole. */
const pause = 300;

function Found({ problem, goTo }: { problem: Problem; goTo: () => void }) {
  const { shown, more } = useBrief(problem.message);
  return (
    <li>
      <button type="button" class={problem.severity} onClick={goTo}>
        {editorWords.value.line(problem.line)}: {shown}
      </button>
      {more}
    </li>
  );
}

export function YamlEditor({
  text,
  label,
  onInput,
  onProblems,
  marks = [],
  readOnly = false,
  focus = false,
}: YamlEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<CodeView | undefined>(undefined);
  const now = useSignal(text);
  const own = useSignal<readonly Problem[]>([]);
  const theirs = useSignal<readonly Problem[]>(marks);
  const told = useRef(onInput);
  told.current = onInput;

  useLayoutEffect(() => {
    const box = host.current;
    if (!box) return;
    const root = box.shadowRoot ?? box.attachShadow({ mode: 'open' });
    const opened = openCodeView(root, {
      text,
      label,
      readOnly,
      onInput: (next) => {
        now.value = next;
        theirs.value = [];
        told.current?.(next);
      },
    });
    view.current = opened;
    if (focus) opened.focus();
    return () => opened.end();
  }, []);

  useEffect(() => view.current?.show(text), [text]);
  useEffect(() => {
    theirs.value = marks;
  }, [marks]);

  const t = editorWords.value;
  useEffect(() => {
    let late = false;
    const timer = setTimeout(
      () =>
        void checkText(now.peek(), t).then((found) => {
          if (late) return;
          own.value = found;
          onProblems?.(found);
        }),
      own.peek().length === 0 && now.peek() === text ? 0 : pause,
    );
    return () => {
      late = true;
      clearTimeout(timer);
    };
  }, [now.value, t]);

  const all = allProblems(theirs.value, own.value);
  useEffect(() => view.current?.mark(all), [theirs.value, own.value]);

  return (
    <div class="editor">
      {/* Esc closes a list of completions, never the dialog around with all that was typed. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it only keeps a key from what is around */}
      <div
        class="code"
        ref={host}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.preventDefault();
        }}
      />
      <p class="note">{t.leave}</p>
      <ul class="found" aria-label={t.problems} aria-live="polite">
        {all.map((problem) => (
          <Found
            key={`${problem.from} ${problem.message}`}
            problem={problem}
            goTo={() => view.current?.goTo(problem)}
          />
        ))}
      </ul>
    </div>
  );
}
