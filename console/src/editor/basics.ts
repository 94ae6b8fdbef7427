// What every editor of texts in the console has, whatever the text is.
import { history, historyKeymap, indentWithTab, standardKeymap } from '@codemirror/commands';
import type { Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { look } from './look';

/**
 * What is typed over a selection is put in by us: the browser would keep the look of what it replaces in style
 * attributes, which the policy of the page refuses.
 */
const typedOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { main } = view.state.selection;
    const { data, inputType } = event;
    if (inputType !== 'insertText' || !data || main.empty || view.composing) return false;
    event.preventDefault();
    const insert = () =>
      view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type' });
    const handlers = view.state.facet(EditorView.inputHandler);
    const taken = handlers.some((handle) => handle(view, main.from, main.to, data, insert));
    if (!taken) view.dispatch(insert());
    return true;
  },
});

/** What has keys of its own stands before it. */
export const basics: Extension = [
  lineNumbers(),
  history(),
  drawSelection(),
  highlightSpecialChars(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  typedOver,
  look,
  keymap.of([...historyKeymap, ...standardKeymap, indentWithTab]),
];
