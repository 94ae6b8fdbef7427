import './style.css';
import { render } from 'preact';
import { App } from './app';
import { startLanguage } from './i18n';
import { jobWatch } from './jobs/store';
import { keepAlive } from './live/connection';
import { startFlush } from './live/flush';
import { connection } from './live/tab';
import { startRoute } from './route';
import { startClock } from './time';

startRoute();
startClock();
startFlush();
connection.start(jobWatch);
connection.connect();
keepAlive(connection);

const root = document.getElementById('app');
if (root) {
  // The page is drawn in the right language at once; without its words it is still drawn, in English.
  startLanguage()
    .catch(() => undefined)
    .then(() => render(<App />, root));
}
