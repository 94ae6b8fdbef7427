import type { LogState } from './log_stream';

export type LogSummary = 'loading' | 'following' | 'resting' | 'waiting' | 'ended' | '';

/**
 * One word for all logs: whatever of them is still under way tells most. `live` says whether the view goes along: a
 * log that grows out of sight is not followed.
 */
export function summaryOf(states: readonly LogState[], live: boolean): LogSummary {
  const some = (kind: LogState['kind']) => states.some((state) => state.kind === kind);
  if (some('asked')) return 'loading';
  if (some('following')) return live ? 'following' : 'resting';
  if (some('waiting')) return 'waiting';
  return some('ended') ? 'ended' : '';
}
