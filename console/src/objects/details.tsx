import type { ComponentChildren } from 'preact';
import { words } from '../i18n';
import type { Condition } from '../jobs/job';
import { EventsAbout } from '../jobs/job_events';
import { type ListPage, listKinds, resourceOf } from '../kinds';
import { useLiveOne } from '../live/pool';
import type { KubeObject } from '../live/protocol';
import { listHref } from '../route';
import { NotLoaded } from '../ui/not_loaded';
import { Refusal } from '../ui/refusal';
import { ConditionTable } from './conditions';
import type { ObjectRoute } from './pages';

function Back({ list }: { list: ListPage }) {
  return (
    <a class="back" href={listHref(list)}>
      ‹ {words.value.back}
    </a>
  );
}

interface DetailsProps<T> {
  at: ObjectRoute;
  /** Beside the title. */
  buttons: (object: T) => ComponentChildren;
  children: (object: T) => ComponentChildren;
}

/** The frame of an object's page, which follows the object as long as it is there. */
export function Details<T extends KubeObject>({ at, buttons, children }: DetailsProps<T>) {
  const t = words.value;
  const { list, namespace, name } = at;
  const kind = listKinds[list];
  const { collection, watch } = useLiveOne<T>(resourceOf(kind, namespace));
  const object = collection.get(`${namespace}/${name}`);
  const problem = watch.problem.value;
  if (!object) {
    const missing = problem ? t.watchFailed(problem) : t.objectGone(kind.kind, name, namespace);
    return (
      <section class="card">
        <Back list={list} />
        {problem || collection.loaded.value ? <p>{missing}</p> : <NotLoaded />}
      </section>
    );
  }
  return (
    <section class="card details" aria-labelledby="object-title">
      <Back list={list} />
      <header>
        <h1 id="object-title">{name}</h1>
        <div class="bar">{buttons(object)}</div>
      </header>
      <Refusal />
      {children(object)}
    </section>
  );
}

/** What has become of an object, for the end of its page. */
export function ConditionsAndEvents({
  object,
}: {
  object: KubeObject & { status?: { conditions?: Condition[] } };
}) {
  const t = words.value;
  const { namespace = '', uid = '' } = object.metadata;
  return (
    <>
      <section aria-labelledby="conditions-title">
        <h2 id="conditions-title">{t.conditions}</h2>
        <ConditionTable conditions={object.status?.conditions} />
      </section>
      <section aria-labelledby="events-title">
        <h2 id="events-title">{t.events}</h2>
        <EventsAbout namespace={namespace} uids={new Set([uid])} />
      </section>
    </>
  );
}
