import './style/base.css';
import './style/frame.css';
import './style/tables.css';
import './style/parts.css';
import './style/details.css';
import { effect } from '@preact/signals';
import { render } from 'preact';
import { App } from './app';
import { isOpening, OpenApp } from './apps/open_app';
import { includeProject, startProject } from './frame/project';
import { startSideBar } from './frame/side_bar';
import { startTheme } from './frame/theme';
import { startLanguage } from './i18n';
import { keepAlive } from './live/connection';
import { startFlush } from './live/flush';
import { connection } from './live/tab';
import { secret, startLogin } from './login';
import { route, startRoute } from './route';
import { startClock } from './time';
import { startDialogs } from './ui/shown_dialog';

startTheme();
startProject();
startSideBar();
startClock();
startFlush();

/** Nothing is asked before somebody is logged in, which may happen later, and in another tab. */
function startConnection(): void {
  let started = false;
  effect(() => {
    if (!secret.value) return;
    if (started) connection.retryNow();
    else connection.connect();
    started = true;
  });
  keepAlive(connection);
}

function startApp(root: HTMLElement): void {
  if (isOpening()) {
    render(<OpenApp />, root);
    return;
  }
  startRoute();
  startDialogs();
  startConnection();
  effect(() => {
    const at = route.value;
    if ((at.page === 'job' || at.page === 'object') && at.namespace) includeProject(at.namespace);
  });
  render(<App />, root);
}

const root = document.getElementById('app');
if (root) {
  // The page is drawn in the right language at once; without its words it is still drawn, in English.
  Promise.all([startLanguage().catch(() => undefined), startLogin()]).then(() => startApp(root));
}
