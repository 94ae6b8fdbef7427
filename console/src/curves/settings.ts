// How the curves are looked at. The address holds it, so that a link shares the view. No screen in here.
import { type Axis, axes } from './curves';

export interface Settings {
  axis: Axis;
  /** 0 to 0.99. */
  smoothing: number;
  log: boolean;
  /** Other jobs whose runs are laid over: KIND.GROUP/NAME. */
  others: readonly string[];
}

/** What somebody has chosen. Without a choice the length of the curves decides how much they are smoothed. */
export type Chosen = Omit<Settings, 'smoothing'> & { smoothing: number | undefined };

export const usual: Chosen = { axis: 'step', smoothing: undefined, log: false, others: [] };

/** Of fewer points each can be seen: smoothed they would only be late. */
const short = 50;

/** `points`: of the longest curve. */
export function settled(chosen: Chosen, points: number): Settings {
  return { ...chosen, smoothing: chosen.smoothing ?? (points < short ? 0 : 0.6) };
}

export function readSettings(query: string): Chosen {
  const asked = new URLSearchParams(query);
  const smoothing = Number(asked.get('smooth') ?? Number.NaN);
  return {
    axis: axes.find((axis) => axis === asked.get('x')) ?? usual.axis,
    smoothing: smoothing >= 0 && smoothing <= 0.99 ? smoothing : usual.smoothing,
    log: asked.get('log') === '1',
    others: [...new Set(asked.getAll('with'))].filter((id) => id.includes('/')),
  };
}

/** What is as usual is left out. */
export function writeSettings({ axis, smoothing, log, others }: Chosen): string {
  const query = new URLSearchParams();
  if (axis !== usual.axis) query.set('x', axis);
  if (smoothing !== undefined) query.set('smooth', String(smoothing));
  if (log) query.set('log', '1');
  for (const id of others) query.append('with', id);
  return query.toString();
}
