// YAML in colours, with thin lines in the indentation, one a level: in YAML the depth is the meaning.
import { foldService } from '@codemirror/language';
import { type Extension, RangeSetBuilder } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { isInText, lastOfBlock, type Token, tokensOf } from './yaml_tokens';

const indent = Decoration.mark({ class: 'cm-indent' });
const marks: Record<Token['kind'], Decoration> = {
  key: Decoration.mark({ class: 'cm-key' }),
  value: Decoration.mark({ class: 'cm-value' }),
  comment: Decoration.mark({ class: 'cm-comment' }),
  meta: Decoration.mark({ class: 'cm-meta' }),
};

/** Of the visible lines only. */
function decorate({ state: { doc }, visibleRanges }: EditorView): DecorationSet {
  const found = new RangeSetBuilder<Decoration>();
  const lineAt = (row: number) => doc.line(row + 1).text;
  for (const { from, to } of visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = doc.lineAt(at);
      const depth = line.text.length - line.text.trimStart().length;
      if (depth > 0) found.add(line.from, line.from + depth, indent);
      const tokens: Token[] = isInText(lineAt, line.number - 1)
        ? [{ from: depth, to: line.length, kind: 'value' }]
        : tokensOf(line.text);
      for (const token of tokens.filter((each) => each.from < each.to)) {
        found.add(line.from + token.from, line.from + token.to, marks[token.kind]);
      }
      at = line.to + 1;
    }
  }
  return found.finish();
}

const decorations = ViewPlugin.define(
  (view) => ({
    now: decorate(view),
    update(update: ViewUpdate) {
      if (update.docChanged || update.viewportChanged) this.now = decorate(update.view);
    },
  }),
  { decorations: ({ now }) => now },
);

const folds = foldService.of(({ doc }, start) => {
  const first = doc.lineAt(start);
  const lineAt = (row: number) => doc.line(row + 1).text;
  const last = doc.line(lastOfBlock(lineAt, doc.lines, first.number - 1) + 1);
  return last.number > first.number ? { from: first.to, to: last.to } : null;
});

export const yamlLook: Extension = [
  decorations,
  folds,
  EditorView.theme({
    '.cm-indent': {
      backgroundImage:
        'repeating-linear-gradient(to right, var(--line) 0 1px, transparent 1px 2ch)',
    },
    '.cm-key': { color: 'var(--code-key)' },
    '.cm-value': { color: 'var(--code-value)' },
    '.cm-comment': { color: 'var(--code-comment)' },
    '.cm-meta': { color: 'var(--code-meta)' },
  }),
];
