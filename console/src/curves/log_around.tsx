import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { askText } from '../api';
import { rankColours } from '../log/feed';
import '../log/log.css';
import { lineElement, rowLook } from '../log/row';
import { markedSegments } from '../log/segments';
import { mostTogether, type TaggedPod } from '../log/sources';
import { clock } from './curve_chart';
import { nearest } from './curves';
import { linesAround, reach, stampOf } from './moment_lines';
import { curveWords } from './words';

const mostBytes = 100_000;
const mostLines = 2000;

async function textOf(
  namespace: string,
  { name, uid, containers }: TaggedPod,
  time: number,
  previous: boolean,
): Promise<string> {
  const query = new URLSearchParams({
    uid,
    timestamps: 'true',
    sinceTime: `${stampOf(time - reach)}Z`,
    limitBytes: String(mostBytes),
  });
  if (containers[0]) query.set('container', containers[0]);
  if (previous) query.set('previous', 'true');
  const place = `namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;
  try {
    return await askText('GET', `/api/v1/${place}/log?${query}`);
  } catch {
    // It had not begun, or its log is gone: then it says nothing of that moment.
    return '';
  }
}

interface LogAroundProps {
  namespace: string;
  job: string;
  pods: readonly TaggedPod[];
  time: number;
  href: string;
  close: () => void;
}

/** What all ranks of a job have said around one moment. */
export function LogAround({ namespace, job, pods, time, href, close }: LogAroundProps) {
  const t = curveWords.value;
  const box = useRef<HTMLDivElement>(null);
  const state = useSignal<'asked' | 'none' | 'some' | 'cut'>('asked');
  const known = pods.map(({ uid, name }) => uid || name).join(' ');
  useEffect(() => {
    let left = false;
    const shown = pods.slice(0, mostTogether);
    const read = async () => {
      const texts = await Promise.all(
        shown.flatMap((pod) => [
          textOf(namespace, pod, time, false),
          pod.ranBefore ? textOf(namespace, pod, time, true) : '',
        ]),
      );
      if (left || !box.current) return;
      const lines = linesAround(texts, time);
      // Of each pod there are two logs.
      const tags = shown.flatMap(({ tag }) => [tag, tag]);
      const colours = tags.map((_, index) => Math.floor(index / 2) % rankColours);
      const look = rowLook({ times: true, tags, colours, href: undefined });
      const rows = lines
        .slice(0, mostLines)
        .map((line) => lineElement(look, line, true, markedSegments(line, undefined)));
      const at = nearest(
        lines.map((line) => Date.parse(`${line.time}Z`) / 1000),
        time,
      );
      rows[at]?.classList.add('moment');
      box.current.replaceChildren(...rows);
      rows[at]?.scrollIntoView({ block: 'nearest' });
      const cut = lines.length > mostLines || texts.some((text) => text.length >= mostBytes);
      state.value = lines.length === 0 ? 'none' : cut ? 'cut' : 'some';
    };
    state.value = 'asked';
    void read();
    return () => {
      left = true;
    };
  }, [namespace, known, time]);
  const title = t.logTitle(job, clock(time));
  return (
    <section class="log-around" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <a href={href}>{t.wholeLog}</a>
        <button type="button" class="plain" aria-label={t.close} onClick={close}>
          ×
        </button>
      </header>
      {state.value === 'none' && <p role="status">{t.noLines(reach)}</p>}
      {state.value === 'cut' && <p class="note">{t.linesCut}</p>}
      <div
        ref={box}
        class="lines"
        role="log"
        aria-live="off"
        aria-label={title}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
        tabIndex={0}
      />
    </section>
  );
}
