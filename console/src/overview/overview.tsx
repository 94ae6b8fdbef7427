import { project } from '../frame/project';
import { words } from '../i18n';
import { useJobs } from '../jobs/job_list';
import { eventKind, type ListPage, listKinds, resourceOf } from '../kinds';
import { type Live, useLive } from '../live/pool';
import type { KubeObject } from '../live/protocol';
import { allLoaded, problemOf, useSnapshot } from '../live/snapshot';
import type { KubeEvent } from '../objects/event';
import { EventTable } from '../objects/event_table';
import { jobsHref, listHref, type OverviewTab, overviewTabHref, overviewTabs } from '../route';
import { NotLoaded } from '../ui/not_loaded';
import { Tabs } from '../ui/tabs';
import { Quotas } from './quotas';

function Line<T extends KubeObject>(props: { href: string; text: string; lives: Live<T>[] }) {
  const { href, text, lives } = props;
  const total = lives.reduce((sum, { collection }) => sum + collection.keys.value.length, 0);
  return (
    <li>
      <a href={href}>{text}</a>
      <span class="total">{allLoaded(lives) ? total : '…'}</span>
    </li>
  );
}

function KindLine({ page }: { page: ListPage }) {
  const lives = useLive([resourceOf(listKinds[page], project.value)]);
  return <Line href={listHref(page)} text={words.value.lists[page]} lives={lives} />;
}

function JobLine() {
  return <Line href={jobsHref} text={words.value.jobs} lives={useJobs()} />;
}

function Resources() {
  const t = words.value;
  return (
    <div class="cards">
      <section>
        <h2>{t.build}</h2>
        <ul>
          <KindLine page="notebooks" />
          <JobLine />
          <KindLine page="tensorboards" />
          <KindLine page="pods" />
        </ul>
      </section>
      <section>
        <h2>{t.storage}</h2>
        <ul>
          <KindLine page="volumes" />
        </ul>
      </section>
      <section>
        <h2>{t.auxiliary}</h2>
        <ul>
          <KindLine page="secrets" />
          <KindLine page="configmaps" />
        </ul>
      </section>
      <section>
        <h2>{t.cluster}</h2>
        <ul>
          <KindLine page="queues" />
          <KindLine page="nodes" />
        </ul>
      </section>
    </div>
  );
}

function Events() {
  const t = words.value;
  const lives = useLive<KubeEvent>([resourceOf(eventKind, project.value)]);
  const events = useSnapshot(lives);
  const problem = problemOf(lives);
  if (problem) return <p class="problem">{t.watchFailed(problem)}</p>;
  if (!allLoaded(lives)) return <NotLoaded />;
  return <EventTable events={events} />;
}

export function Overview({ tab }: { tab: OverviewTab }) {
  const t = words.value;
  return (
    <section class="card" aria-labelledby="overview-title">
      <h1 id="overview-title">{t.overview}</h1>
      <Tabs
        label={t.overview}
        tabs={overviewTabs.map((each) => ({
          href: overviewTabHref(each),
          text: t[each],
          current: each === tab,
        }))}
      />
      {tab === 'resources' && <Resources />}
      {tab === 'events' && <Events />}
      {tab === 'quota' && <Quotas />}
    </section>
  );
}
