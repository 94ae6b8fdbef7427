import { project } from '../frame/project';
import { words } from '../i18n';
import { jobKinds, kindId, resourceOf } from '../kinds';
import { keyOf } from '../live/collection';
import { useLive } from '../live/pool';
import { allLoaded, problemOf, useSnapshot } from '../live/snapshot';
import { query, replaceQuery } from '../route';
import { Pager, pageSize } from '../ui/pager';
import { pageOf } from '../ui/paging';
import { Refusal } from './actions';
import { Chips } from './chips';
import { FilterBar } from './filter_bar';
import { type Job, kindIdOf } from './job';
import { columnTitle, shownColumns } from './job_columns';
import { JobRow } from './job_row';
import { type ListState, readState, select, writeState } from './list_state';

/** One live list a kind. */
export function useJobs() {
  return useLive<Job>(jobKinds.map((kind) => resourceOf(kind, project.value)));
}

function Nothing({ any, loaded }: { any: boolean; loaded: boolean }) {
  const t = words.value;
  if (!loaded) return <p>{t.loading}</p>;
  return (
    <div class="empty">
      <p class="big">{t.none}</p>
      <p>{any ? t.noMatch : t.noJobsHow}</p>
      {!any && <pre class="command">trainyard submit -f examples/ddp-mnist/job.yaml</pre>}
    </div>
  );
}

function Head() {
  const t = words.value;
  return (
    <thead>
      <tr>
        <td />
        <th scope="col">
          <span class="hidden">{t.status}</span>
        </th>
        <th scope="col">{t.name}</th>
        {shownColumns().map((column) => (
          <th key={column} scope="col">
            {columnTitle(column, t)}
          </th>
        ))}
        <th scope="col" class="narrow">
          {t.actions}
        </th>
      </tr>
    </thead>
  );
}

export function JobList() {
  const t = words.value;
  const lives = useJobs();
  const jobs = useSnapshot(lives);
  const state = readState(query.value);
  const shown = pageOf(select(jobs, state), state.page, pageSize.value);
  const problem = problemOf(lives);
  const collections = new Map(lives.map((live) => [kindId(live.resource), live.collection]));
  const change = (next: ListState) => replaceQuery(writeState(next));
  return (
    <section class="card" aria-labelledby="jobs-title">
      <h1 id="jobs-title">{t.jobs}</h1>
      <FilterBar jobs={jobs} state={state} change={change} />
      <Chips state={state} change={change} />
      <Refusal />
      {problem && (
        <p class="problem" role="alert">
          {t.watchFailed(problem)}
        </p>
      )}
      <div class="scroll">
        <table class="stack">
          <Head />
          <tbody>
            {shown.items.map((job) => {
              const collection = collections.get(kindIdOf(job));
              return (
                collection && <JobRow key={job.metadata.uid} id={keyOf(job)} jobs={collection} />
              );
            })}
          </tbody>
        </table>
      </div>
      {shown.total === 0 && !problem && <Nothing any={jobs.length > 0} loaded={allLoaded(lives)} />}
      <Pager shown={shown} go={(page) => change({ ...state, page })} />
    </section>
  );
}
