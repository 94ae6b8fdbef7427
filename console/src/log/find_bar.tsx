import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { LogScreen } from './log_screen';
import type { Query } from './search';
import { logWords } from './words';

function Toggle(props: { face: string; label: string; on: boolean; onClick: () => void }) {
  return (
    <button
      type="button"
      class="plain toggle"
      aria-label={props.label}
      title={props.label}
      aria-pressed={props.on}
      onClick={props.onClick}
    >
      {props.face}
    </button>
  );
}

/** What is looked for, how often it is there, and the way from one to the next. */
export function FindBar({ screen }: { screen: LogScreen }) {
  const t = logWords.value;
  const query = useSignal<Query>({ text: '', regex: false, matchCase: false });
  const { count, at, problem, busy } = screen.found.value;
  const change = (part: Partial<Query>) => {
    query.value = { ...query.value, ...part };
  };
  useEffect(() => screen.find(query.value), [query.value]);
  return (
    <search class="find">
      <input
        type="search"
        aria-label={t.search}
        placeholder={t.search}
        aria-invalid={problem !== undefined}
        onInput={(event) => change({ text: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === 'Enter') void screen.toMatch(!event.shiftKey);
        }}
      />
      <Toggle
        face="Aa"
        label={t.matchCase}
        on={query.value.matchCase}
        onClick={() => change({ matchCase: !query.value.matchCase })}
      />
      <Toggle
        face=".*"
        label={t.regex}
        on={query.value.regex}
        onClick={() => change({ regex: !query.value.regex })}
      />
      {query.value.text !== '' && (
        <span role="status" class={problem ? 'problem' : 'note'} title={problem ?? t.matchingLines}>
          {problem ? t.badRegex : t.matches(at, count) + (busy ? '…' : '')}
        </span>
      )}
      {query.value.text !== '' && !problem && (
        <>
          <button
            type="button"
            class="plain"
            aria-label={t.previousMatch}
            title={t.previousMatch}
            disabled={count === 0}
            onClick={() => void screen.toMatch(false)}
          >
            ‹
          </button>
          <button
            type="button"
            class="plain"
            aria-label={t.nextMatch}
            title={t.nextMatch}
            disabled={count === 0}
            onClick={() => void screen.toMatch(true)}
          >
            ›
          </button>
        </>
      )}
    </search>
  );
}
