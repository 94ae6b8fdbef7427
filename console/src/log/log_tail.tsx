import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { askText } from '../api';
import { LineBuffer } from './lines';
import './log.css';
import { segmentNode } from './row';
import { markedSegments } from './segments';

interface LogTailProps {
  namespace: string;
  pod: string;
  uid: string;
  container: string;
  title: string;
}

const lines = 20;

/** The last lines of a container that has ended, or why there are none. Nothing when it said nothing. */
export function LogTail({ namespace, pod, uid, container, title }: LogTailProps) {
  const box = useRef<HTMLDivElement>(null);
  const text = useSignal('');
  const problem = useSignal('');
  useEffect(() => {
    const query = new URLSearchParams({ container, uid, tailLines: String(lines) });
    const place = `namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}`;
    askText('GET', `/api/v1/${place}/log?${query}`).then(
      (answer) => {
        text.value = answer;
      },
      (error) => {
        problem.value = String(error.message);
      },
    );
  }, []);
  useEffect(() => {
    const buffer = new LineBuffer(0, lines);
    buffer.append(text.value);
    const { added, unfinished } = buffer.take();
    const nodes = [...added, ...(unfinished ? [unfinished] : [])].map((line) => {
      const row = document.createElement('div');
      row.append(...markedSegments(line, undefined).map(segmentNode));
      return row;
    });
    box.current?.replaceChildren(...nodes);
    box.current?.scrollTo(0, box.current.scrollHeight);
  }, [text.value]);
  if (problem.value) return <p>{problem.value}</p>;
  if (!text.value) return null;
  return (
    <figure class="log-tail">
      <figcaption>{title}</figcaption>
      <div
        ref={box}
        class="lines"
        role="log"
        aria-live="off"
        aria-label={title}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
        tabIndex={0}
      />
    </figure>
  );
}
