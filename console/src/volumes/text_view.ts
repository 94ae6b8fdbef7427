// CodeMirror for texts of any kind. Framework-free: text_editor.tsx is the component around it.
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { basics } from '../editor/basics';
import { yamlLook } from '../editor/yaml_look';

/** What ends the lines of a text: what is not the same everywhere must stay as it is. */
export function lineEnd(text: string): '\n' | '\r\n' {
  const ends = text.match(/\n/g)?.length ?? 0;
  const pairs = text.match(/\r\n/g)?.length ?? 0;
  const returns = text.match(/\r/g)?.length ?? 0;
  return ends > 0 && ends === pairs && pairs === returns ? '\r\n' : '\n';
}

const search: Extension = [highlightSelectionMatches(), keymap.of(searchKeymap)];

export interface TextViewOptions {
  text: string;
  label: string;
  /** By its end the language is known. */
  name: string;
  readOnly: boolean;
  onInput: (text: string) => void;
}

/** Returns what ends it. */
export function openTextView(root: ShadowRoot, options: TextViewOptions): () => void {
  const { text, label, name, readOnly, onInput } = options;
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        // Without it CodeMirror would make all ends of lines the same, and save a file that differs everywhere.
        EditorState.lineSeparator.of(lineEnd(text)),
        EditorState.readOnly.of(readOnly),
        search,
        /\.ya?ml$/.test(name) ? yamlLook : [],
        basics,
        EditorView.contentAttributes.of({ 'aria-label': label, 'aria-multiline': 'true' }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) onInput(state.sliceDoc());
        }),
      ],
    }),
  });
  view.focus();
  return () => view.destroy();
}
