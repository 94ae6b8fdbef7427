import { Collection } from '../live/collection';
import { flushSoon } from '../live/flush';
import { connection } from '../live/tab';
import { Watch } from '../live/watch';
import { type Job, jobResource } from './job';

/** All jobs, kept up to date for as long as the page is open. */
export const jobs: Collection<Job> = new Collection<Job>(() => flushSoon(flushJobs));
export const jobWatch = new Watch(connection, jobResource, jobs);

function flushJobs(): void {
  jobs.flush();
}
