import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { askText } from '../api';
import { excerptLines, excerptOf, searchedLines } from './excerpt';
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
  /** The line that tells what went wrong: it is shown with those around it. */
  told?: string | undefined;
}

/** What a container that has ended said where it failed, or last. Nothing when it said nothing. */
export function LogTail({ namespace, pod, uid, container, title, told }: LogTailProps) {
  const box = useRef<HTMLDivElement>(null);
  const text = useSignal('');
  const problem = useSignal('');
  useEffect(() => {
    const tailLines = String(told ? searchedLines : excerptLines);
    const query = new URLSearchParams({ container, uid, tailLines });
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
    const { lines, telling } = excerptOf(text.value, told);
    const nodes = lines.map((each, index) => {
      const buffer = new LineBuffer(0, excerptLines);
      buffer.append(`${each}\n`);
      const row = document.createElement('div');
      if (index === telling) row.classList.add('telling');
      for (const line of buffer.take().added) {
        row.append(...markedSegments(line, undefined).map(segmentNode));
      }
      return row;
    });
    const shown = box.current;
    if (!shown) return;
    shown.replaceChildren(...nodes);
    const middle = telling === undefined ? undefined : nodes[telling];
    const above = middle ? middle.offsetTop - shown.offsetTop - shown.clientHeight / 2 : undefined;
    shown.scrollTo(0, above ?? shown.scrollHeight);
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
