import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { execPath, notFound, type Shell, shells } from './channels';
import { Screen } from './screen';
import { Session, type SessionState } from './session';
import './terminal.css';
import { terminalWords } from './words';

export interface TerminalPlace {
  namespace: string;
  pod: string;
  containers: readonly string[];
}

function stateWords(state: SessionState, shell: Shell): string {
  const t = terminalWords.value;
  if (state.kind === 'connecting') return t.connecting;
  if (state.kind === 'open') return t.connected;
  if (!state.end) return t.lost;
  if (state.end.exitCode === notFound) return t.noShell(shell);
  return state.end.message || t.ended(state.end.exitCode);
}

/** Joins a session to the screen until the caller's effect ends. */
function connect(place: TerminalPlace, container: string, shell: Shell, screen: Screen): Session {
  screen.clear();
  const session = new Session(execPath(place.namespace, place.pod, container, shell), screen);
  screen.onInput = (bytes) => session.write(bytes);
  screen.onResize = (columns, rows) => session.resize(columns, rows);
  session.resize(screen.size.columns, screen.size.rows);
  screen.focus();
  return session;
}

export function TerminalPanel(place: TerminalPlace) {
  const t = terminalWords.value;
  const box = useRef<HTMLDivElement>(null);
  const screen = useRef<Screen>(undefined);
  const container = useSignal(place.containers[0] ?? '');
  const shell = useSignal<Shell>('bash');
  const round = useSignal(0);
  const state = useSignal<SessionState>({ kind: 'connecting' });

  useEffect(() => {
    if (!box.current) return;
    const made = new Screen(box.current);
    screen.current = made;
    return () => made.close();
  }, []);

  useEffect(() => {
    if (!screen.current) return;
    const session = connect(place, container.value, shell.value, screen.current);
    const unsubscribe = session.state.subscribe((now) => {
      state.value = now;
    });
    return () => {
      unsubscribe();
      session.close();
    };
  }, [container.value, shell.value, round.value]);

  return (
    <section class="terminal" aria-label={t.terminalOf(place.pod)}>
      <div class="bar">
        <div class="bar">
          {place.containers.map((name) => (
            <button
              key={name}
              type="button"
              class="soft"
              title={t.container}
              aria-pressed={name === container.value}
              onClick={() => {
                container.value = name;
              }}
            >
              {name}
            </button>
          ))}
        </div>
        <span role="status" class={state.value.kind === 'over' ? 'problem' : 'note'}>
          {stateWords(state.value, shell.value)}
        </span>
        {state.value.kind === 'over' && (
          <button
            type="button"
            onClick={() => {
              round.value++;
            }}
          >
            {t.again}
          </button>
        )}
        <label class="last">
          {t.shell}{' '}
          <select
            value={shell.value}
            onChange={(event) => {
              shell.value = event.currentTarget.value as Shell;
            }}
          >
            {shells.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      </div>
      <div class="screen" ref={box} />
    </section>
  );
}
