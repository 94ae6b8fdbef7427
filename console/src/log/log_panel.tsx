import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { connection } from '../live/tab';
import { recall, remember } from '../remembered';
import type { LogSource } from './feed';
import { FindBar } from './find_bar';
import './log.css';
import { DownloadLink } from '../ui/download';
import type { LinePlace } from './line_place';
import { LogScreen } from './log_screen';
import { LogStates } from './log_states';
import { logWords } from './words';

interface LogPanelProps {
  label: string;
  sources: readonly LogSource[];
  /** Several logs in one: each line says whose it is. */
  merged: boolean;
  /** What a file of it is called. */
  fileName: string;
  /** An address that leads to a line, where there is one. */
  href?: ((place: LinePlace) => string) | undefined;
  /** The line that an address has led to. */
  wanted?: LinePlace | undefined;
}

function Check(props: { checked: boolean; onChange: (checked: boolean) => void; text: string }) {
  return (
    <label>
      <input
        type="checkbox"
        checked={props.checked}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      {props.text}
    </label>
  );
}

function save(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** One log comes from the server whole; of several together there is only what is here. */
function Download({ screen, sources, merged, fileName }: LogPanelProps & { screen: LogScreen }) {
  const t = logWords.value;
  const [only] = sources;
  if (merged || !only) {
    return (
      <button type="button" onClick={() => save(fileName, screen.text(true))}>
        ⤓ {t.download}
      </button>
    );
  }
  const query = new URLSearchParams({ container: only.container, uid: only.uid });
  if (only.previous) query.set('previous', 'true');
  const pod = `namespaces/${encodeURIComponent(only.namespace)}/pods/${encodeURIComponent(only.pod)}`;
  return (
    <DownloadLink class="button" href={`/api/v1/${pod}/log?${query}`} name={fileName}>
      ⤓ {t.download}
    </DownloadLink>
  );
}

function Tools(props: LogPanelProps & { screen: LogScreen }) {
  const t = logWords.value;
  const { screen } = props;
  const noError = useSignal(false);
  return (
    <>
      <Check
        text={t.live}
        checked={screen.shown.value.live}
        onChange={(live) => {
          screen.live = live;
        }}
      />
      <FindBar screen={screen} />
      <button
        type="button"
        onClick={async () => {
          noError.value = !(await screen.toFirstError());
        }}
      >
        {t.firstError}
      </button>
      {noError.value && (
        <span role="status" class="note">
          {t.noError}
        </span>
      )}
      <button
        type="button"
        aria-label={t.toTop}
        title={t.toTop}
        onClick={() => void screen.toTop()}
      >
        ↑
      </button>
      <button type="button" aria-label={t.toEnd} title={t.toEnd} onClick={() => screen.toEnd()}>
        ↓
      </button>
      <Download {...props} />
    </>
  );
}

const mostGone = 3;

function Footer({ screen }: { screen: LogScreen }) {
  const t = logWords.value;
  const { from, to } = screen.shown.value;
  const { before, total, gone } = screen.extent.value;
  const problem = screen.feed.problem.value;
  const several = screen.feed.places().length > 1;
  const told = gone.slice(0, mostGone);
  return (
    <footer>
      <span class="note">
        {to === 0
          ? t.noLines
          : t.shown(before + from + 1, before + to, Math.max(total, before + to))}
      </span>
      <LogStates screen={screen} />
      {told.map(({ tag, lines }) => (
        <span key={tag} class="note">
          {t.gone(lines, several ? tag : '')}
        </span>
      ))}
      {gone.length > told.length && (
        <span class="note">{t.andMore(gone.length - told.length)}</span>
      )}
      {problem !== undefined && <span class="problem">{t.missing(problem)}</span>}
    </footer>
  );
}

/** The caller gives it what is shown as `key`: other logs, another panel. */
export function LogPanel(props: LogPanelProps) {
  const t = logWords.value;
  const { label, sources, merged, href, wanted } = props;
  const box = useRef<HTMLDivElement>(null);
  const screen = useSignal<LogScreen | undefined>(undefined);
  const times = useSignal(recall('logTimes') === 'true');
  const wrap = useSignal(recall('logWrap') !== 'false');

  useEffect(() => {
    if (!box.current) return;
    const made = new LogScreen(box.current, connection);
    made.wrap = wrap.peek();
    screen.value = made;
    return () => made.close();
  }, []);

  const key = sources.map(({ pod, uid, phase }) => `${pod} ${uid} ${phase}`).join();
  useEffect(() => {
    screen.value?.show(sources, { times: times.value, merged, href });
  }, [screen.value, key, times.value]);

  useEffect(
    () => screen.value?.seek(wanted),
    [screen.value, wanted?.tag, wanted?.time, wanted?.number],
  );

  return (
    <section class="log" aria-label={label}>
      <div class="bar">
        {screen.value && <Tools {...props} screen={screen.value} />}
        <Check
          text={t.wrap}
          checked={wrap.value}
          onChange={(on) => {
            wrap.value = on;
            remember('logWrap', String(on));
            if (screen.value) screen.value.wrap = on;
          }}
        />
        <Check
          text={t.times}
          checked={times.value}
          onChange={(on) => {
            times.value = on;
            remember('logTimes', String(on));
          }}
        />
      </div>
      {/* Spoken aloud, four updates a second would drown everything else. */}
      <div
        class="lines"
        ref={box}
        role="log"
        aria-live="off"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
        tabIndex={0}
      />
      {screen.value && <Footer screen={screen.value} />}
    </section>
  );
}
