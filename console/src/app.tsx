import { useSignalEffect } from '@preact/signals';
import { About } from './about';
import { PathBar, pathOf } from './frame/path_bar';
import { SideBar } from './frame/side_bar';
import { TopBar } from './frame/top_bar';
import { words } from './i18n';
import { JobList } from './jobs/job_list';
import { connection } from './live/tab';
import { secret } from './login';
import { pageOfList, pageOfMaking, pageOfObject } from './objects/pages';
import { Overview } from './overview/overview';
import { overviewHref, query, route } from './route';
import { SignIn } from './sign_in';
import { absoluteTime } from './time';
import { later } from './ui/later';
import { ShownDialog } from './ui/shown_dialog';

const CreateJob = later(async () => (await import('./create/create_job')).CreateJob);
const JobDetails = later(async () => (await import('./jobs/job_details')).JobDetails);

function LostBanner() {
  const t = words.value;
  const state = connection.state.value;
  return (
    <div role="alert">
      {state.kind === 'lost' && (
        <p class="banner">
          {t.lost(absoluteTime(state.since).time)}{' '}
          <button type="button" onClick={() => connection.retryNow()}>
            {t.retryNow}
          </button>
        </p>
      )}
    </div>
  );
}

function Unknown() {
  const t = words.value;
  return (
    <section class="card" aria-labelledby="unknown-title">
      <h1 id="unknown-title">{t.unknownPage}</h1>
      <p>{t.unknownPageText(location.hash)}</p>
      <a href={overviewHref}>{t.overview}</a>
    </section>
  );
}

function Page() {
  const at = route.value;
  if (!secret.value || connection.state.value.kind === 'signed out') return <SignIn />;
  switch (at.page) {
    case 'overview':
      return <Overview tab={at.tab} />;
    case 'jobs':
      return <JobList />;
    case 'create job':
      return <CreateJob key={`${at.kind}?${query.value}`} kind={at.kind} />;
    case 'job':
      return <JobDetails key={`${at.namespace}/${at.kind}/${at.name}`} at={at} />;
    case 'list': {
      const List = pageOfList(at.list);
      return <List key={at.list} />;
    }
    case 'make': {
      const Make = pageOfMaking(at.list);
      return <Make key={at.list} />;
    }
    case 'object': {
      const Details = pageOfObject(at.list);
      return <Details key={`${at.list}/${at.namespace}/${at.name}`} at={at} />;
    }
    case 'about':
      return <About />;
    case 'unknown':
      return <Unknown />;
  }
}

export function App() {
  useSignalEffect(() => {
    const t = words.value;
    const here = pathOf(route.value, t).at(-1)?.text;
    document.title = `${here} · ${t.title}`;
  });
  return (
    <>
      {/* A button, since the address holds the page: an ordinary jump would leave it. */}
      <button
        type="button"
        class="skip"
        onClick={() => document.getElementById('content')?.focus()}
      >
        {words.value.skipToContent}
      </button>
      <TopBar />
      <PathBar />
      <LostBanner />
      <div class="frame">
        <SideBar />
        <main id="content" tabIndex={-1}>
          <Page />
        </main>
      </div>
      <ShownDialog />
    </>
  );
}
