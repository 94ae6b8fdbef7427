import '../editor/editor.css';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { openTextView, type TextViewOptions } from './text_view';
import { volumeWords } from './words';

/** Shows the text that it is given at first; what becomes of it goes out. */
export function TextEditor(options: TextViewOptions) {
  const host = useRef<HTMLDivElement>(null);
  const told = useRef(options.onInput);
  told.current = options.onInput;
  useLayoutEffect(() => {
    const box = host.current;
    if (!box) return;
    // In a shadow root its styles need no exception from the Content-Security-Policy.
    const root = box.shadowRoot ?? box.attachShadow({ mode: 'open' });
    return openTextView(root, { ...options, onInput: (text) => told.current(text) });
  }, []);
  return (
    <div class="editor">
      <div class="code" ref={host} />
      <p class="note">{volumeWords.value.leaveEditor}</p>
    </div>
  );
}
