import type { Job } from '../jobs/job';
import { useLogPods } from '../jobs/job_logs';
import { jobHref } from '../route';
import { LogAround } from './log_around';
import { idOf } from './tool_bar';

/** The lines of whichever job the moment is of. */
export function JobLogAround({ job, time, close }: { job: Job; time: number; close: () => void }) {
  const { namespace = '', name } = job.metadata;
  const [kind = ''] = idOf(job).split('/');
  return (
    <LogAround
      namespace={namespace}
      job={name}
      pods={useLogPods(job)}
      time={time}
      href={jobHref(namespace, kind, name, 'logs')}
      close={close}
    />
  );
}
