import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { CurveChart, type Shared } from './curve_chart';
import type { PlotLine, PlotLook } from './curve_plot';
import { type Group, smoothed, trackOf } from './curves';
import type { Run } from './runs';
import type { Settings } from './settings';
import type { Stores } from './stores';
import { curveWords } from './words';

export interface View {
  stores: Stores;
  runs: readonly Run[];
  settings: Settings;
  look: PlotLook;
  shared: Shared;
  /** Changes when something of what is drawn does. */
  state: string;
  choose: (job: string, time: number) => void;
}

function linesOf(tag: string, { stores, runs, settings }: View): PlotLine[] {
  return runs.flatMap(({ id, job, run, name, number }) => {
    const store = stores.get(job);
    const curve = store?.curve(run, tag);
    if (!curve || curve.steps.length === 0) return [];
    const track = trackOf(curve, settings.axis, store?.begin(run, tag));
    const smooth = settings.smoothing > 0 ? smoothed(track.values, settings.smoothing) : undefined;
    return [{ key: id, name, number, track, smooth }];
  });
}

function TagChart({ tag, view }: { tag: string; view: View }) {
  const { stores, state, look, shared, choose } = view;
  const lines = useMemo(() => linesOf(tag, view), [tag, state, look]);
  const seen = useSignal(false);
  const ids = [...stores.keys()].join(' ');
  useEffect(() => {
    if (!seen.value) return;
    const wanted = [...stores.values()];
    for (const store of wanted) store.want(tag);
    return () => {
      for (const store of wanted) store.leave(tag);
    };
  }, [seen.value, ids, tag]);
  return (
    <CurveChart
      title={tag}
      lines={lines}
      look={look}
      shared={shared}
      zoom={shared.zoom.value}
      onZoom={(zoom) => {
        shared.zoom.value = zoom;
      }}
      choose={(line, time) => choose(line.key.split('\n')[0] ?? '', time)}
      onSeen={() => {
        seen.value = true;
      }}
    />
  );
}

export function TagGroup({ group, view }: { group: Group; view: View }) {
  const t = curveWords.value;
  const open = useSignal(true);
  const title = group.name || t.others;
  return (
    <section class="curve-group" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <span class="note">{t.charts(group.tags.length)}</span>
        <button
          type="button"
          class="plain"
          aria-label={t.fold(title)}
          aria-expanded={open.value}
          onClick={() => {
            open.value = !open.value;
          }}
        >
          {open.value ? '▾' : '▸'}
        </button>
      </header>
      {open.value && (
        <div class="curve-grid">
          {group.tags.map((tag) => (
            <TagChart key={tag} tag={tag} view={view} />
          ))}
        </div>
      )}
    </section>
  );
}
