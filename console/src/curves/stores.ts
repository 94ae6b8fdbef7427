import { useEffect, useRef } from 'preact/hooks';
import { hasEnded, type Job, kindOf } from '../jobs/job';
import { objectPath } from '../kinds';
import { type Curve, type Track, trackOf, type Zoom } from './curves';
import { JobCurves } from './job_curves';
import type { Settings } from './settings';
import { idOf } from './tool_bar';

export type Stores = ReadonlyMap<string, JobCurves>;

function pathOf(job: Job): string {
  const kind = kindOf(job);
  return kind ? objectPath(kind, job.metadata.namespace ?? '', job.metadata.name) : '';
}

/** One for each job, as long as it is shown. */
export function useStores(jobs: readonly Job[]): Stores {
  const stores = useRef(new Map<string, JobCurves>()).current;
  const ids = jobs.map(idOf);
  for (const job of jobs) {
    const store = stores.get(idOf(job)) ?? new JobCurves(pathOf(job));
    stores.set(idOf(job), store);
  }
  useEffect(() => {
    for (const job of jobs) {
      const store = stores.get(idOf(job));
      if (store) store.live = !hasEnded(job);
    }
    for (const [id, store] of stores) {
      if (ids.includes(id)) continue;
      store.close();
      stores.delete(id);
    }
  }, [ids.join(' '), jobs.map(hasEnded).join(' ')]);
  useEffect(
    () => () => {
      for (const store of stores.values()) store.close();
      stores.clear();
    },
    [],
  );
  return stores;
}

/** The curve of the main job that tells most of its time. */
export function reference(store: JobCurves | undefined): Curve | undefined {
  let longest: Curve | undefined;
  for (const curve of store?.curves() ?? []) {
    if (!longest || curve.steps.length > longest.steps.length) longest = curve;
  }
  return longest;
}

export function tracksOf(store: JobCurves, { axis }: Settings): Track[] {
  return [...store.curves()].map((curve) => trackOf(curve, axis));
}

/** From where to where curves go. */
export function extent(stores: Stores, settings: Settings): Zoom {
  const tracks = [...stores.values()].flatMap((store) => tracksOf(store, settings));
  const ends = tracks.flatMap(({ xs }) => (xs.length > 0 ? [xs[0] ?? 0, xs.at(-1) ?? 0] : []));
  return { from: Math.min(...ends), to: Math.max(...ends) };
}
