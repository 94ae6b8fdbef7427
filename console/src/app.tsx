import { useSignalEffect } from '@preact/signals';
import { About } from './about';
import { PathBar, pathOf } from './frame/path_bar';
import { SideBar } from './frame/side_bar';
import { TopBar } from './frame/top_bar';
import { words } from './i18n';
import { JobDetails } from './jobs/job_details';
import { JobList } from './jobs/job_list';
import { connection } from './live/tab';
import { ObjectList } from './objects/object_list';
import { Overview } from './overview/overview';
import { route } from './route';
import { SignIn } from './sign_in';
import { absoluteTime } from './time';
import { ShownDialog } from './ui/shown_dialog';

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

function Page() {
  const at = route.value;
  if (connection.state.value.kind === 'signed out') return <SignIn />;
  switch (at.page) {
    case 'overview':
      return <Overview tab={at.tab} />;
    case 'jobs':
      return <JobList />;
    case 'job':
      return <JobDetails key={`${at.namespace}/${at.kind}/${at.name}`} at={at} />;
    case 'list':
      return <ObjectList key={at.list} page={at.list} />;
    case 'about':
      return <About />;
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
