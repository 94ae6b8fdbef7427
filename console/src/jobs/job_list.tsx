import { words } from '../i18n';
import { jobHref, route } from '../route';
import { Age } from '../time';
import { type Job, phaseOf, replicaCounts } from './job';
import { Phase } from './phase';
import { jobs, jobWatch } from './store';

export function Replicas({ job }: { job: Job }) {
  const counts = replicaCounts(job);
  if (counts.length === 0) return <>-</>;
  return (
    <>
      {counts.map(({ type, running, total }) => (
        <div key={type} class="count">
          {type}: {total} <small>{words.value.running(running, total)}</small>
        </div>
      ))}
    </>
  );
}

/** Reads its own job only, so that the change of one job redraws one row. */
function Row({ id, selected }: { id: string; selected: boolean }) {
  const job = jobs.get(id);
  if (!job) return null;
  const { name, namespace = '', creationTimestamp } = job.metadata;
  return (
    <tr class={selected ? 'selected' : ''}>
      <td>
        <Phase phase={phaseOf(job)} />
      </td>
      <th scope="row">
        <a href={jobHref(namespace, name)} aria-current={selected ? 'true' : undefined}>
          {name}
        </a>
      </th>
      <td>{namespace}</td>
      <td>
        <Replicas job={job} />
      </td>
      <td>
        <Age at={creationTimestamp} />
      </td>
    </tr>
  );
}

function Empty() {
  const t = words.value;
  return (
    <div class="empty">
      <p class="big">{t.noJobs}</p>
      <p>{t.noJobsHow}</p>
      <pre class="command">trainyard submit -f examples/ddp-mnist/job.yaml</pre>
    </div>
  );
}

export function JobList() {
  const t = words.value;
  const keys = jobs.keys.value;
  const problem = jobWatch.problem.value;
  const at = route.value;
  const selected = at.page === 'job' ? `${at.namespace}/${at.name}` : '';
  return (
    <section class="card list" aria-labelledby="jobs-title">
      <header>
        <h1 id="jobs-title">{t.jobs}</h1>
        {jobs.loaded.value && keys.length > 0 && <small>{t.jobCount(keys.length)}</small>}
      </header>
      {problem && (
        <p class="problem" role="alert">
          {t.watchFailed(problem)}
        </p>
      )}
      {keys.length > 0 && (
        <div class="scroll">
          <table class="stack">
            <thead>
              <tr>
                <th scope="col">{t.status}</th>
                <th scope="col">{t.name}</th>
                <th scope="col">{t.project}</th>
                <th scope="col">{t.replicas}</th>
                <th scope="col">{t.created}</th>
              </tr>
            </thead>
            <tbody>
              {keys.map((key) => (
                <Row key={key} id={key} selected={key === selected} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {keys.length === 0 && !problem && (jobs.loaded.value ? <Empty /> : <p>{t.loading}</p>)}
    </section>
  );
}
