// CodeMirror, set up for manifests. Framework-free: yaml_editor.tsx is the component around it.
import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from '@codemirror/autocomplete';
import { foldGutter, foldKeymap, indentUnit } from '@codemirror/language';
import { lintGutter, setDiagnostics } from '@codemirror/lint';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, hoverTooltip, keymap, type Tooltip } from '@codemirror/view';
import { basics } from './basics';
import { helpAt, suggest } from './complete';
import { blockIndent } from './cursor_path';
import { type Problem, readManifests } from './manifest';
import { loadKindSchema } from './schema';
import { editorWords } from './words';
import { yamlLook } from './yaml_look';

/** The schema of the document that the offset is in. */
async function schemaOf(text: string, offset: number) {
  const from = text.lastIndexOf('\n---', Math.max(0, offset - 1));
  const end = text.indexOf('\n---', offset);
  const own = text.slice(from < 0 ? 0 : from + 1, end < 0 ? text.length : end);
  // Not by the parser: while one types the text is seldom whole.
  const field = (name: string) =>
    new RegExp(`^${name}:[ \\t]*["']?([^\\s"'#]+)`, 'm').exec(own)?.[1] ?? '';
  const kind = await loadKindSchema(field('apiVersion'), field('kind'));
  return { kind, value: readManifests(own, editorWords.peek()).manifests[0]?.value };
}

async function complete(context: CompletionContext): Promise<CompletionResult | null> {
  const text = context.state.doc.toString();
  const { kind, value } = await schemaOf(text, context.pos);
  const found = kind && suggest(text, context.pos, kind, value);
  if (!found || (found.from === context.pos && !context.explicit)) return null;
  return { ...found, validFor: /^[\w.-]*$/ };
}

function helpDom(title: string, lines: string[]): HTMLElement {
  const box = document.createElement('div');
  box.className = 'cm-help';
  const head = document.createElement('strong');
  head.textContent = title;
  box.append(head);
  for (const line of lines.filter((each) => each !== '')) {
    const paragraph = document.createElement('p');
    paragraph.textContent = line;
    box.append(paragraph);
  }
  return box;
}

async function hover(view: EditorView, offset: number): Promise<Tooltip | null> {
  const text = view.state.doc.toString();
  const { kind } = await schemaOf(text, offset);
  const help = kind && helpAt(text, offset, kind, editorWords.peek());
  if (!help) return null;
  const line = view.state.doc.lineAt(offset);
  const dom = helpDom(help.title, [help.text, help.note]);
  return { pos: line.from, end: line.to, above: true, create: () => ({ dom }) };
}

/** A new line after `key:` belongs to the key. */
function openBlock(view: EditorView): boolean {
  const { main } = view.state.selection;
  const line = view.state.doc.lineAt(main.head);
  const indent = main.empty && main.head === line.to ? blockIndent(line.text) : undefined;
  if (indent === undefined) return false;
  view.dispatch(view.state.replaceSelection(`\n${' '.repeat(indent)}`), {
    scrollIntoView: true,
    userEvent: 'input',
  });
  return true;
}

function behaviour(): Extension {
  return [
    yamlLook,
    foldGutter(),
    lintGutter(),
    indentUnit.of('  '),
    autocompletion({ override: [complete], icons: false }),
    hoverTooltip(hover, { hoverTime: 400 }),
    keymap.of([...completionKeymap, ...foldKeymap, { key: 'Enter', run: openBlock }]),
    basics,
  ];
}

export interface CodeView {
  show(text: string): void;
  mark(problems: readonly Problem[]): void;
  goTo(problem: Problem): void;
  focus(): void;
  end(): void;
}

export interface CodeViewOptions {
  text: string;
  label: string;
  readOnly: boolean;
  onInput: (text: string) => void;
}

export function openCodeView(root: ShadowRoot, options: CodeViewOptions): CodeView {
  const { text, label, readOnly, onInput } = options;
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        behaviour(),
        EditorState.readOnly.of(readOnly),
        EditorView.contentAttributes.of({
          'aria-label': label,
          'aria-multiline': 'true',
          tabindex: '0',
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onInput(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    show(next) {
      const { doc } = view.state;
      if (doc.toString() === next) return;
      view.dispatch({ changes: { from: 0, to: doc.length, insert: next } });
    },
    mark(problems) {
      const most = view.state.doc.length;
      const diagnostics = problems.map(({ from, to, message, severity }) => ({
        from: Math.min(from, most),
        to: Math.min(to, most),
        message,
        severity,
      }));
      view.dispatch(setDiagnostics(view.state, diagnostics));
    },
    goTo({ from }) {
      const at = Math.min(from, view.state.doc.length);
      view.dispatch({ selection: { anchor: at }, scrollIntoView: true });
      view.focus();
    },
    focus: () => view.focus(),
    end: () => view.destroy(),
  };
}
