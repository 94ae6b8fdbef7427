import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { words } from '../i18n';
import { flushSoon } from '../live/flush';
import type { Streams } from '../live/protocol';
import type { Words } from '../words/en';
import { LineBuffer, maxLines } from './lines';
import { type LogState, LogStream, type PodView } from './log_stream';
import { LogView } from './log_view';

function stateWords(state: LogState, phase: string | undefined, t: Words): string {
  switch (state.kind) {
    case 'asked':
    case 'waiting':
      // A program that has printed nothing yet is followed all the same.
      if (phase === 'Running') return t.logFollowing;
      return state.kind === 'asked' ? t.loading : t.logWaiting;
    case 'following':
      return t.logFollowing;
    case 'ended':
      return t.logEnded;
    case 'failed':
      return t.logFailed(state.message);
  }
}

interface LogPanelProps extends PodView {
  streams: Streams;
  namespace: string;
  pod: string;
}

/** The caller gives it the pod's identity as `key`: one panel, one pod, one stream. */
export function LogPanel({ streams, namespace, pod, phase, container }: LogPanelProps) {
  const t = words.value;
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<LogView>(undefined);
  const latest = useRef<PodView>({ phase, container });
  latest.current = { phase, container };
  const state = useSignal<LogState>({ kind: 'asked' });
  const atEnd = useSignal(true);

  useEffect(() => {
    if (!box.current) return;
    const buffer = new LineBuffer();
    const screen = new LogView(box.current, (value) => {
      atEnd.value = value;
    });
    view.current = screen;
    const draw = () => screen.show(buffer.take());
    const changed = () => flushSoon(draw);
    const stream = new LogStream(streams, namespace, pod, () => latest.current, buffer, changed);
    const unsubscribe = stream.state.subscribe((value) => {
      state.value = value;
    });
    stream.start();
    return () => {
      unsubscribe();
      stream.stop();
    };
  }, []);

  return (
    <section class="log" aria-labelledby="log-title">
      <header>
        <h2 id="log-title" class="hidden">
          {t.log}
        </h2>
        <small>{t.logBounded(maxLines)}</small>
        <span role="status" class={state.value.kind === 'failed' ? 'problem' : 'note'}>
          {stateWords(state.value, phase, t)}
        </span>
        <button type="button" hidden={atEnd.value} onClick={() => view.current?.toEnd()}>
          {t.toEnd}
        </button>
      </header>
      {/* Spoken aloud, four updates a second would drown everything else. */}
      <div
        class="lines"
        ref={box}
        role="log"
        aria-live="off"
        aria-label={t.logOf(pod)}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
        tabIndex={0}
      />
    </section>
  );
}
