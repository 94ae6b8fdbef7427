// The runs of one job or several, with their names and numbers. No screen in here.
import type { CurveList } from './curves';

export interface Run {
  /** Of all that are shown together. */
  id: string;
  /** The job's id. */
  job: string;
  /** As the server calls it. */
  run: string;
  name: string;
  number: number;
}

/** So many runs are shown before somebody asks for more. */
export const mostAtFirst = 20;

/** What a run is called: its job where that has no other, its own name where there is only one job. */
function nameOf(job: string, run: string, several: boolean): string {
  if (run === '.') return job;
  return several ? `${job} · ${run}` : run;
}

export function runsOf(
  jobs: readonly { id: string; name: string; list: CurveList | undefined }[],
): Run[] {
  const several = jobs.length > 1;
  const runs = jobs.flatMap(({ id, name, list }) =>
    (list?.runs ?? []).map(({ name: run }) => ({
      id: `${id}\n${run}`,
      job: id,
      run,
      name: nameOf(name, run, several),
    })),
  );
  return runs.map((run, number) => ({ ...run, number }));
}

/** What somebody has chosen, else the first ones. */
export function isShown({ id, number }: Run, chosen: ReadonlyMap<string, boolean>): boolean {
  return chosen.get(id) ?? number < mostAtFirst;
}
