// How the editor looks. It lives in a shadow root, where the variables of the page still hold: so light and dark
// are the page's own, and CodeMirror's rules become constructed style sheets, which the policy of the page allows.
import { EditorView } from '@codemirror/view';

export const look = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--card)', fontSize: '13px' },
  '&.cm-focused': { outline: '2px solid var(--brand)', outlineOffset: '-2px' },
  '.cm-scroller': {
    fontFamily: 'var(--mono)',
    lineHeight: '19px',
    overflow: 'auto',
  },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': {
    color: 'var(--dim)',
    backgroundColor: 'var(--page)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--code-line)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    { background: 'var(--code-selection)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--code-selection)' },
  '.cm-foldPlaceholder': { color: 'var(--dim)', background: 'none', border: '0' },
  '.cm-tooltip, .cm-panels': {
    color: 'var(--text)',
    backgroundColor: 'var(--card)',
    border: '1px solid var(--line)',
    boxShadow: 'var(--shadow)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: '#fff',
    backgroundColor: 'var(--code-chosen)',
  },
  '.cm-completionDetail': { fontStyle: 'normal', opacity: '0.8' },
  '.cm-completionInfo': { maxWidth: '360px' },
  '.cm-help': { maxWidth: '460px', padding: '6px 10px', font: '13px/1.45 system-ui, sans-serif' },
  '.cm-help strong': { fontFamily: 'var(--mono)', fontWeight: '600' },
  '.cm-help p': { margin: '4px 0 0' },
  '.cm-diagnostic': { font: '13px/1.45 system-ui, sans-serif' },
  '.cm-textfield, .cm-button': {
    color: 'var(--text)',
    background: 'var(--page)',
    border: '1px solid var(--grey)',
  },
});
