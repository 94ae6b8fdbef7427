import { words } from '../i18n';
import { connection } from '../live/tab';

/** In the place of what has not come: it comes, or it cannot. Never as if there were nothing. */
export function NotLoaded() {
  const t = words.value;
  return <p>{connection.state.value.kind === 'lost' ? t.notKnown : t.loading}</p>;
}
