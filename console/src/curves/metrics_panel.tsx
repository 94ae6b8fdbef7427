import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { words } from '../i18n';
import type { Job } from '../jobs/job';
import { jobKinds, resourceOf } from '../kinds';
import { newestFirst } from '../live/collection';
import { useLive } from '../live/pool';
import { useSnapshot } from '../live/snapshot';
import '../monitor/monitor.css';
import { query, replaceQuery } from '../route';
import type { Pointer, Shared } from './curve_chart';
import type { PlotLook } from './curve_plot';
import { groupsOf, scaled, stepsWithin, timeAt, trackOf, xAt, type Zoom } from './curves';
import './curves.css';
import { Empty } from './empty';
import { JobLogAround } from './log_around_job';
import { Notes } from './notes';
import { RunLegend } from './run_legend';
import { isShown, runsOf } from './runs';
import { readSettings, type Settings, settled, writeSettings } from './settings';
import { extent, reference, type Stores, tracksOf, useStores } from './stores';
import { TagGroup, type View } from './tag_group';
import { idOf, ToolBar } from './tool_bar';
import { UsageCharts } from './usage_charts';
import { curveWords } from './words';

/** How it is looked at: in the address too. */
function useSettings(shared: Shared) {
  const settings = useSignal(readSettings(query.peek()));
  const change = (part: Partial<Settings>): void => {
    // Another axis has other places.
    if (part.axis) shared.zoom.value = undefined;
    settings.value = { ...settings.value, ...part };
    replaceQuery(writeSettings(settings.value));
  };
  return { settings: settings.value, change };
}

/** How many points the longest curve has. */
function longestOf(stores: Stores): number {
  const runs = [...stores.values()].flatMap(({ list }) => list.value?.runs ?? []);
  return Math.max(0, ...runs.flatMap(({ curves }) => curves.map(({ points }) => points)));
}

/** The job itself, those that it is compared with, and those that it could be. */
function useJobs(job: Job, { others }: Pick<Settings, 'others'>) {
  const { namespace = '' } = job.metadata;
  const all = useSnapshot(useLive<Job>(jobKinds.map((kind) => resourceOf(kind, namespace))));
  const main = idOf(job);
  const candidates = useMemo(
    () => all.filter((each) => idOf(each) !== main).sort(newestFirst),
    [all, main],
  );
  const found = others.flatMap((id) => candidates.find((each) => idOf(each) === id) ?? []);
  return { jobs: [job, ...found], candidates };
}

/** Where one is zoomed into, more points are asked for. */
function useCloser(stores: Stores, settings: Settings, zoom: Zoom | undefined): void {
  useEffect(() => {
    for (const store of stores.values()) {
      store.look(zoom && stepsWithin(tracksOf(store, settings), zoom));
    }
  }, [zoom?.from, zoom?.to]);
}

/** Steps are no time: what is zoomed into is found by when the longest curve was there. */
function Usage(props: { job: Job; view: View; choose: (time: number) => void }) {
  const { job, view, choose } = props;
  const { axis } = view.settings;
  const { zoom } = view.shared;
  const curve = reference(view.stores.get(idOf(job)));
  const along = useMemo(() => curve && trackOf(curve, axis), [curve, axis]);
  const translated = (
    part: Zoom | undefined,
    place: (at: number) => number | undefined,
  ): Zoom | undefined => {
    if (!part || axis !== 'step' || !along) return part;
    const [from, to] = [place(part.from), place(part.to)];
    return from !== undefined && to !== undefined && from < to ? { from, to } : undefined;
  };
  const shown = useMemo(
    () => translated(zoom.value, (step) => along && timeAt(along, step)),
    [zoom.value, along],
  );
  return (
    <UsageCharts
      job={job}
      axis={axis}
      shared={view.shared}
      begin={curve?.times[0]}
      zoom={shown}
      onZoom={(part) => {
        zoom.value = translated(part, (time) => along && xAt(along, time));
      }}
      choose={choose}
    />
  );
}

interface ChartsProps {
  job: Job;
  jobs: readonly Job[];
  view: View;
  groups: ReturnType<typeof groupsOf>;
  moment: Signal<{ job: string; time: number } | undefined>;
}

function Charts({ job, jobs, view, groups, moment }: ChartsProps) {
  const t = curveWords.value;
  const chosen = moment.value;
  const ofMoment = chosen && jobs.find((each) => idOf(each) === chosen.job);
  return (
    <>
      <p class="note">{t.hint}</p>
      {groups.length === 0 && <p>{t.noMatch}</p>}
      {groups.map((group) => (
        <TagGroup key={group.name} group={group} view={view} />
      ))}
      <Usage job={job} view={view} choose={(time) => view.choose(idOf(job), time)} />
      {chosen && ofMoment && (
        <JobLogAround
          key={chosen.job}
          job={ofMoment}
          time={chosen.time}
          close={() => {
            moment.value = undefined;
          }}
        />
      )}
    </>
  );
}

/** What a job's programs say of their training, with the runs of other jobs to compare, what the ranks use and say. */
export function MetricsPanel({ job }: { job: Job }) {
  const search = useSignal('');
  const shown = useSignal<ReadonlyMap<string, boolean>>(new Map());
  const moment = useSignal<{ job: string; time: number } | undefined>(undefined);
  const shared: Shared = {
    pointer: useSignal<Pointer | undefined>(undefined),
    zoom: useSignal<Zoom | undefined>(undefined),
  };
  const { settings: chosen, change } = useSettings(shared);
  const { jobs, candidates } = useJobs(job, chosen);
  const stores = useStores(jobs);
  const settings = settled(chosen, longestOf(stores));
  useCloser(stores, settings, shared.zoom.value);
  const { axis, log } = settings;
  const look = useMemo<PlotLook>(() => ({ axis, log }), [axis, log]);

  const own = stores.get(idOf(job));
  const list = own?.list.value;
  if (!list) {
    return own?.problem.value ? (
      <Notes jobs={jobs} stores={stores} />
    ) : (
      <p>{words.value.loading}</p>
    );
  }
  const lists = jobs.map((each) => {
    const id = idOf(each);
    return { id, name: each.metadata.name, list: stores.get(id)?.list.value };
  });
  const runs = runsOf(lists);
  const drawn = runs.filter((run) => isShown(run, shown.value));
  const rounds = [...stores.values()].map(({ round }) => round.value);
  const view: View = {
    stores,
    runs: drawn,
    settings,
    look,
    shared,
    state: JSON.stringify([rounds, drawn.map(({ id }) => id), settings]),
    choose: (id, time) => {
      moment.value = { job: id, time };
    },
  };
  const zoomBy = (factor: number | undefined) => {
    const whole = extent(stores, settings);
    const seen = shared.zoom.value ?? whole;
    shared.zoom.value = factor === undefined ? undefined : scaled(seen, whole, factor);
  };
  const facts = lists.flatMap((each) => each.list?.runs ?? []);
  return (
    <div class="metrics">
      <ToolBar
        settings={settings}
        change={change}
        candidates={candidates}
        search={search.value}
        onSearch={(text) => {
          search.value = text;
        }}
        zoomed={shared.zoom.value !== undefined}
        onZoom={zoomBy}
        onRefresh={() => {
          for (const store of stores.values()) store.refresh();
        }}
      />
      {runs.length > 0 && (
        <RunLegend
          runs={runs}
          chosen={shown.value}
          toggle={(run) => {
            shown.value = new Map(shown.value).set(run.id, !isShown(run, shown.value));
          }}
        />
      )}
      <Notes jobs={jobs} stores={stores} />
      {list.runs.length === 0 && <Empty list={list} job={job} />}
      {facts.length > 0 && (
        <Charts
          job={job}
          jobs={jobs}
          view={view}
          groups={groupsOf(facts, search.value)}
          moment={moment}
        />
      )}
    </div>
  );
}
