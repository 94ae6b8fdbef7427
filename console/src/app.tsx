import { useSignalEffect } from '@preact/signals';
import { chooseLanguage, type Language, language, languages, words } from './i18n';
import { JobDetails } from './jobs/job_details';
import { JobList } from './jobs/job_list';
import { connection } from './live/tab';
import { jobsHref, route } from './route';
import { SignIn } from './sign_in';
import { absoluteTime } from './time';

function TopBar() {
  const t = words.value;
  return (
    <header class="top">
      <a class="brand" href={jobsHref}>
        {t.title}
      </a>
      <label>
        <span class="hidden">{t.language}</span>
        <span aria-hidden="true">文A</span>
        <select
          value={language.value}
          onChange={(event) => void chooseLanguage(event.currentTarget.value as Language)}
        >
          {Object.entries(languages).map(([code, own]) => (
            <option key={code} value={code} lang={code}>
              {own}
            </option>
          ))}
        </select>
      </label>
    </header>
  );
}

function Path() {
  const t = words.value;
  const at = route.value;
  const open = connection.state.value.kind === 'open';
  return (
    <nav class="path" aria-label={t.breadcrumb}>
      <ol>
        <li>
          {at.page === 'job' ? (
            <a href={jobsHref}>{t.jobs}</a>
          ) : (
            <span aria-current="page">{t.jobs}</span>
          )}
        </li>
        {at.page === 'job' && (
          <li>
            <span aria-current="page">{at.name}</span>
          </li>
        )}
      </ol>
      {open && <span class="live">{t.live}</span>}
    </nav>
  );
}

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
  const state = connection.state.value.kind;
  if (state === 'signed out') return <SignIn />;
  return (
    <div class={at.page === 'job' ? 'split' : ''}>
      <JobList />
      {at.page === 'job' && (
        <JobDetails key={`${at.namespace}/${at.name}`} namespace={at.namespace} name={at.name} />
      )}
    </div>
  );
}

export function App() {
  useSignalEffect(() => {
    const at = route.value;
    const { title } = words.value;
    document.title = at.page === 'job' ? `${at.name} · ${title}` : title;
  });
  return (
    <>
      <TopBar />
      <Path />
      <LostBanner />
      <main>
        <Page />
      </main>
    </>
  );
}
