import { useSignal } from '@preact/signals';
import { words } from '../i18n';
import { connection } from '../live/tab';
import { LogPanel } from '../log/log_panel';
import { jobsHref } from '../route';
import { Age, ExactTime } from '../time';
import {
  exitCodeOf,
  type Job,
  newestConditionFirst,
  phaseOf,
  type Replica,
  replicasOf,
} from './job';
import { Replicas } from './job_list';
import { Phase } from './phase';
import { jobs } from './store';

function Facts({ job }: { job: Job }) {
  const t = words.value;
  const { namespace = '', uid, creationTimestamp } = job.metadata;
  return (
    <dl class="facts">
      <div>
        <dt>{t.status}</dt>
        <dd>
          <Phase phase={phaseOf(job)} />
        </dd>
      </div>
      <div>
        <dt>{t.replicas}</dt>
        <dd>
          <Replicas job={job} />
        </dd>
      </div>
      <div>
        <dt>{t.created}</dt>
        <dd>
          <ExactTime at={creationTimestamp} />
        </dd>
      </div>
      <div>
        <dt>{t.project}</dt>
        <dd>{namespace}</dd>
      </div>
      <div>
        <dt>{t.uid}</dt>
        <dd>{uid ?? '-'}</dd>
      </div>
    </dl>
  );
}

function Conditions({ job }: { job: Job }) {
  const t = words.value;
  const conditions = newestConditionFirst(job.status?.conditions ?? []);
  return (
    <section aria-labelledby="conditions-title">
      <h2 id="conditions-title">{t.conditions}</h2>
      {conditions.length === 0 ? (
        <p>{t.none}</p>
      ) : (
        <div class="scroll">
          <table class="stack">
            <thead>
              <tr>
                <th scope="col">{t.type}</th>
                <th scope="col">{t.status}</th>
                <th scope="col">{t.reason}</th>
                <th scope="col">{t.message}</th>
                <th scope="col">{t.lastTransition}</th>
              </tr>
            </thead>
            <tbody>
              {conditions.map((condition) => (
                <tr key={condition.type}>
                  <th scope="row">{condition.type}</th>
                  <td>{condition.status}</td>
                  <td class="reason">{condition.reason || '-'}</td>
                  <td class="message">{condition.message || '-'}</td>
                  <td>
                    <Age at={condition.lastTransitionTime} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

interface ReplicaTableProps {
  replicas: Replica[];
  chosen: string | undefined;
  choose: (name: string) => void;
}

function ReplicaTable({ replicas, chosen, choose }: ReplicaTableProps) {
  const t = words.value;
  return (
    <section aria-labelledby="replicas-title">
      <h2 id="replicas-title">{t.replicas}</h2>
      {replicas.length === 0 ? (
        <p>{t.none}</p>
      ) : (
        <fieldset class="scroll bounded">
          <legend class="hidden">{t.chooseReplica}</legend>
          <table>
            <thead>
              <tr>
                <th scope="col">{t.pod}</th>
                <th scope="col">{t.phase}</th>
                <th scope="col">{t.exitCode}</th>
                <th scope="col">{t.restarts}</th>
              </tr>
            </thead>
            <tbody>
              {replicas.map((replica) => (
                <tr key={replica.name} class={replica.name === chosen ? 'selected' : ''}>
                  <th scope="row">
                    <label>
                      <input
                        type="radio"
                        name="replica"
                        checked={replica.name === chosen}
                        onChange={() => choose(replica.name)}
                      />
                      {replica.name}
                    </label>
                  </th>
                  <td>
                    <Phase phase={replica.phase || 'Pending'} />
                  </td>
                  <td>{exitCodeOf(replica) ?? '-'}</td>
                  <td>{replica.restarts ?? 0}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </fieldset>
      )}
    </section>
  );
}

/** The caller gives it the job's key as `key`, so that the choice of a replica does not leak into another job. */
export function JobDetails({ namespace, name }: { namespace: string; name: string }) {
  const t = words.value;
  const picked = useSignal<string | undefined>(undefined);
  const job = jobs.get(`${namespace}/${name}`);
  if (!job) {
    return (
      <section class="card details">
        <p>{jobs.loaded.value ? t.jobGone(name, namespace) : t.loading}</p>
        <a href={jobsHref}>{t.close}</a>
      </section>
    );
  }
  const replicas = replicasOf(job);
  const chosen = replicas.find((replica) => replica.name === picked.value) ?? replicas[0];
  return (
    <section class="card details" aria-labelledby="job-title">
      <header>
        <h1 id="job-title">{name}</h1>
        <a href={jobsHref}>{t.close}</a>
      </header>
      <Facts job={job} />
      <ReplicaTable
        replicas={replicas}
        chosen={chosen?.name}
        choose={(pod) => {
          picked.value = pod;
        }}
      />
      {chosen && (
        <LogPanel
          // A replaced pod may keep its name; its log is another one.
          key={`${chosen.name} ${chosen.uid}`}
          streams={connection}
          namespace={namespace}
          pod={chosen.name}
          phase={chosen.phase}
          container={chosen.containers?.[0]?.name ?? ''}
        />
      )}
      <Conditions job={job} />
    </section>
  );
}
