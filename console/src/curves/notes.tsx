import type { Job } from '../jobs/job';
import type { Stores } from './stores';
import { idOf } from './tool_bar';
import { curveWords } from './words';

/** What happened to the files, and to the questions. */
export function Notes({ jobs, stores }: { jobs: readonly Job[]; stores: Stores }) {
  const t = curveWords.value;
  const warnings = [...stores.values()].flatMap(({ list }) => list.value?.warnings ?? []);
  return (
    <>
      {jobs.map((job) => {
        const problem = stores.get(idOf(job))?.problem.value;
        if (!problem) return null;
        return (
          <p key={idOf(job)} class="problem" role="alert">
            {t.failed(job.metadata.name, problem)}
          </p>
        );
      })}
      {warnings.length > 0 && (
        <details class="file-notes">
          <summary>{t.warnings(warnings.length)}</summary>
          <ul>
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
