// What the job list can be asked for. Pure.
import { jobKinds, kindId } from '../kinds';
import { byCreation, byLabel, byName, type ListRules } from '../list/list_state';
import {
  extendedOf,
  type Job,
  kindIdOf,
  phaseOf,
  phases,
  phaseWord,
  queueOf,
  schedulerOf,
} from './job';

/** Kinds of one name are told apart by their group. */
function kindWord(id: string): string {
  const found = jobKinds.find((kind) => kindId(kind) === id);
  if (!found) return id;
  const twins = jobKinds.filter(({ kind }) => kind === found.kind);
  return twins.length > 1 ? `${found.kind} (${found.group})` : found.kind;
}

/** As T9k's console, its documents and the API call a phase. */
const namesOfPhase: Record<string, readonly string[]> = {
  Succeeded: ['Succeeded', 'Done'],
  Failed: ['Failed', 'Error'],
};

export const jobRules: ListRules<Job> = {
  words: (job) => namesOfPhase[phaseOf(job)] ?? [phaseOf(job)],
  filters: [
    byLabel,
    {
      name: 'phase',
      title: (t) => t.filters.phase,
      values: (job) => [phaseOf(job)],
      choices: phases,
      word: phaseWord,
    },
    {
      name: 'scheduler',
      title: (t) => t.filters.scheduler,
      values: (job) => [schedulerOf(job)],
      choices: ['default', 'T9k'],
      word: (value, t) => (value === 'default' || value === 'T9k' ? t.schedulers[value] : value),
    },
    { name: 'queue', title: (t) => t.filters.queue, values: (job) => [queueOf(job)] },
    {
      name: 'kind',
      title: (t) => t.filters.kind,
      values: (job) => [kindIdOf(job)],
      choices: jobKinds.map(kindId),
      word: kindWord,
    },
    { name: 'extended', title: (t) => t.filters.extended, values: extendedOf },
  ],
  sorters: [
    byName,
    byCreation,
    { name: 'kind', title: (t) => t.jobType, key: (job) => job.kind ?? '' },
    { name: 'phase', title: (t) => t.phase, key: phaseOf },
  ],
};
