import type { LogScreen } from './log_screen';
import { summaryOf } from './log_summary';
import { logWords } from './words';

const mostFailures = 3;

/** How the logs stand: followed, waited for, at their end, or why there is none. */
export function LogStates({ screen }: { screen: LogScreen }) {
  const t = logWords.value;
  const states = screen.feed.states.value;
  const summary = summaryOf(
    states.map(({ state }) => state),
    screen.shown.value.live,
  );
  const failed = states.flatMap(({ tag, state }) =>
    state.kind === 'failed' ? [t.failed(tag, state.message)] : [],
  );
  const more = failed.length - mostFailures;
  return (
    <>
      <span role="status" class="note">
        {summary && t[summary]}
      </span>
      {failed.slice(0, mostFailures).map((text) => (
        <span key={text} class="problem">
          {text}
        </span>
      ))}
      {more > 0 && <span class="problem">{t.andMore(more)}</span>}
    </>
  );
}
