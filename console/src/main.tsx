import './style/base.css';
import './style/frame.css';
import './style/tables.css';
import './style/parts.css';
import './style/details.css';
import { effect } from '@preact/signals';
import { render } from 'preact';
import { App } from './app';
import { includeProject, startProject } from './frame/project';
import { startSideBar } from './frame/side_bar';
import { startTheme } from './frame/theme';
import { startLanguage } from './i18n';
import { keepAlive } from './live/connection';
import { startFlush } from './live/flush';
import { connection } from './live/tab';
import { route, startRoute } from './route';
import { startClock } from './time';

startTheme();
startProject();
startSideBar();
startRoute();
startClock();
startFlush();
connection.connect();
keepAlive(connection);
effect(() => {
  const at = route.value;
  if ((at.page === 'job' || at.page === 'object') && at.namespace) includeProject(at.namespace);
});

const root = document.getElementById('app');
if (root) {
  // The page is drawn in the right language at once; without its words it is still drawn, in English.
  startLanguage()
    .catch(() => undefined)
    .then(() => render(<App />, root));
}
