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

export const usual: Settings = { axis: 'step', smoothing: 0.6, log: false, others: [] };

export function readSettings(query: string): Settings {
  const asked = new URLSearchParams(query);
  const smoothing = Number(asked.get('smooth') ?? usual.smoothing);
  return {
    axis: axes.find((axis) => axis === asked.get('x')) ?? usual.axis,
    smoothing: smoothing >= 0 && smoothing <= 0.99 ? smoothing : usual.smoothing,
    log: asked.get('log') === '1',
    others: [...new Set(asked.getAll('with'))].filter((id) => id.includes('/')),
  };
}

/** What is as usual is left out. */
export function writeSettings({ axis, smoothing, log, others }: Settings): string {
  const query = new URLSearchParams();
  if (axis !== usual.axis) query.set('x', axis);
  if (smoothing !== usual.smoothing) query.set('smooth', String(smoothing));
  if (log) query.set('log', '1');
  for (const id of others) query.append('with', id);
  return query.toString();
}
