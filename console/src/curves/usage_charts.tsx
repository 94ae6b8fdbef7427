import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { ask } from '../api';
import { hasEnded, type Job } from '../jobs/job';
import { timesOf, type UsageList, usagePath } from '../monitor/usage';
import { CurveChart, type Shared } from './curve_chart';
import type { PlotLine } from './curve_plot';
import type { Axis, Track, Zoom } from './curves';
import { curveWords } from './words';

const pace = 5000;
const metrics = ['cpu', 'memory'] as const;

/** Asks while the job goes on. */
function useUsage(job: Job): UsageList | undefined {
  const told = useSignal<UsageList | undefined>(undefined);
  const { namespace = '', uid } = job.metadata;
  const live = !hasEnded(job);
  useEffect(() => {
    let left = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async () => {
      const question = { from: undefined, to: undefined, points: 600, perReplica: true, metrics };
      try {
        const answer = await ask<UsageList>('GET', usagePath({ namespace, owner: uid }, question));
        if (!left) told.value = answer;
      } catch {
        // Who may not see usage sees the curves all the same.
      }
      if (!left && live) timer = setTimeout(next, pace);
    };
    const next = () => {
      if (document.visibilityState === 'visible') void read();
      else timer = setTimeout(next, pace);
    };
    void read();
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [namespace, uid, live]);
  return told.value;
}

function linesOf(told: UsageList, metric: string, begin: number): PlotLine[] {
  const times = timesOf(told.items);
  return told.items.flatMap(({ metadata: { name }, usage }, number) => {
    const known = times.flatMap((time, at) => {
      const value = usage[metric]?.mean[at];
      return value === null || value === undefined ? [] : [{ time, value }];
    });
    if (known.length === 0) return [];
    const track: Track = {
      xs: known.map(({ time }) => time - begin),
      steps: known.map((_, at) => at),
      times: known.map(({ time }) => time),
      values: known.map(({ value }) => value),
    };
    return [{ key: name, name, number, track, smooth: undefined }];
  });
}

interface UsageProps {
  job: Job;
  axis: Axis;
  shared: Shared;
  /** When the first run began: where relative time counts from. */
  begin: number | undefined;
  zoom: Zoom | undefined;
  onZoom: (zoom: Zoom | undefined) => void;
  choose: (time: number) => void;
}

/** What each rank used, on the same time axis. Steps are no time: then it goes by the clock. */
export function UsageCharts({ job, axis, shared, begin, zoom, onZoom, choose }: UsageProps) {
  const t = curveWords.value;
  const told = useUsage(job);
  const zero = axis === 'relative' ? (begin ?? 0) : 0;
  const charts = useMemo(
    () => metrics.map((metric) => ({ metric, lines: told ? linesOf(told, metric, zero) : [] })),
    [told, zero],
  );
  const looks = useMemo(() => {
    const own: Axis = axis === 'relative' && begin !== undefined ? 'relative' : 'wall';
    return {
      cpu: { axis: own, log: false, unit: 'cores' as const },
      memory: { axis: own, log: false, unit: 'bytes' as const },
    };
  }, [axis, begin === undefined]);
  if (charts.every(({ lines }) => lines.length === 0)) return null;
  return (
    <section class="curve-group" aria-label={t.usage}>
      <header>
        <h2>{t.usage}</h2>
      </header>
      <div class="curve-grid">
        {charts.map(({ metric, lines }) => (
          <CurveChart
            key={metric}
            title={t[metric]}
            lines={lines}
            look={looks[metric]}
            shared={shared}
            zoom={zoom}
            onZoom={onZoom}
            choose={(_, time) => choose(time)}
          />
        ))}
      </div>
    </section>
  );
}
