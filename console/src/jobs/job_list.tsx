import { project } from '../frame/project';
import { words } from '../i18n';
import { jobKinds, kindId, resourceOf } from '../kinds';
import { HiddenColumns } from '../list/columns';
import { type ListOf, LiveList } from '../list/live_list';
import { useLive } from '../live/pool';
import { jobHref } from '../route';
import { later } from '../ui/later';
import { CreateMenu } from './create_menu';
import { type Job, kindIdOf, phaseOf } from './job';
import { jobColumns } from './job_columns';
import { jobRules } from './job_filters';
import { JobNote } from './job_progress';
import { ReplicaTypes } from './replica_types';

const JobMenu = later(async () => (await import('./job_actions')).JobMenu);

/** One live list a kind. */
export function useJobs() {
  return useLive<Job>(jobKinds.map((kind) => resourceOf(kind, project.value)));
}

const list: ListOf<Job> = {
  ...jobRules,
  columns: jobColumns,
  hidden: new HiddenColumns('hiddenColumns', jobColumns),
  phase: phaseOf,
  href: (job) => jobHref(job.metadata.namespace ?? '', kindIdOf(job), job.metadata.name),
  note: (job) => <JobNote job={job} scope={project.value} />,
  menu: (job) => <JobMenu job={job} />,
  unfolded: (job) => <ReplicaTypes job={job} />,
};

export function JobList() {
  const t = words.value;
  const lives = useJobs();
  const collections = new Map(lives.map((live) => [kindId(live.resource), live.collection]));
  return (
    <LiveList
      title={t.jobs}
      list={list}
      lives={lives}
      collectionOf={(job) => collections.get(kindIdOf(job))}
      buttons={<CreateMenu />}
      beginning={
        <>
          <p>{t.noJobsHow}</p>
          <pre class="command">trainyard submit -f examples/ddp-mnist/job.yaml</pre>
        </>
      }
    />
  );
}
