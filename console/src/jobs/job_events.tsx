import { useSignal } from '@preact/signals';
import { words } from '../i18n';
import { eventKind, listKinds, resourceOf } from '../kinds';
import { useLive } from '../live/pool';
import { allLoaded, problemOf, useSnapshot } from '../live/snapshot';
import { eventsAbout, type KubeEvent } from '../objects/event';
import { EventTable } from '../objects/event_table';
import { NotLoaded } from '../ui/not_loaded';
import type { Job } from './job';
import { type Pod, podsOf } from './replica';

/** The events of the objects with these uids. */
export function EventsAbout({ namespace, uids }: { namespace: string; uids: ReadonlySet<string> }) {
  const lives = useLive<KubeEvent>([resourceOf(eventKind, namespace)]);
  const events = useSnapshot(lives);
  const problem = problemOf(lives);
  if (problem) return <p class="problem">{words.value.watchFailed(problem)}</p>;
  if (!allLoaded(lives)) return <NotLoaded />;
  return <EventTable events={eventsAbout(events, uids)} />;
}

/** The job's own events, and with those of its pods when the details are asked for. */
export function JobEvents({ job }: { job: Job }) {
  const t = words.value;
  const detailed = useSignal(false);
  const { namespace = '', uid = '' } = job.metadata;
  const pods = useSnapshot(useLive<Pod>([resourceOf(listKinds.pods, namespace)]));
  const own = detailed.value ? podsOf(job, pods).map(({ metadata }) => metadata.uid ?? '') : [];
  return (
    <section aria-labelledby="events-title">
      <header>
        <h2 id="events-title">{t.events}</h2>
        <label>
          <input
            type="checkbox"
            checked={detailed.value}
            onChange={() => {
              detailed.value = !detailed.value;
            }}
          />
          {t.detailedEvents}
        </label>
      </header>
      <EventsAbout namespace={namespace} uids={new Set([uid, ...own])} />
    </section>
  );
}
