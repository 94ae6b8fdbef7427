import { signal } from '@preact/signals';
import { words } from '../i18n';
import type { ListPage } from '../kinds';
import { recall, remember } from '../remembered';
import { aboutHref, jobsHref, listHref, overviewHref, route } from '../route';

/** Hidden and shown by the button before the path; on a narrow screen it is hidden to begin with. */
export const sideBarShown = signal(true);

/** As in frame.css: there it stands above the page and not beside it. */
function isNarrow(): boolean {
  return innerWidth < 900;
}

export function startSideBar(): void {
  sideBarShown.value = !isNarrow() && recall('sideBar') !== 'hidden';
}

export function toggleSideBar(): void {
  sideBarShown.value = !sideBarShown.peek();
  if (!isNarrow()) remember('sideBar', sideBarShown.peek() ? 'shown' : 'hidden');
}

/** Who has chosen a page wants to see it. */
function closeWhenNarrow(): void {
  if (isNarrow()) sideBarShown.value = false;
}

interface Entry {
  href: string;
  text: string;
  current: boolean;
}

function Link({ href, text, current }: Entry) {
  return (
    <li>
      <a href={href} aria-current={current ? 'page' : undefined} onClick={closeWhenNarrow}>
        {text}
      </a>
    </li>
  );
}

function Group({ title, entries }: { title: string; entries: Entry[] }) {
  return (
    <li>
      <h2>{title}</h2>
      <ul>
        {entries.map((entry) => (
          <Link key={entry.href} {...entry} />
        ))}
      </ul>
    </li>
  );
}

export function SideBar() {
  const t = words.value;
  const at = route.value;
  if (!sideBarShown.value) return null;
  const list = (page: ListPage): Entry => ({
    href: listHref(page),
    text: t.lists[page],
    current: 'list' in at && at.list === page,
  });
  const jobs: Entry = {
    href: jobsHref,
    text: t.jobs,
    current: ['jobs', 'job', 'create job'].includes(at.page),
  };
  return (
    <nav class="side" aria-label={t.pages}>
      <ul>
        <Link href={overviewHref} text={t.overview} current={at.page === 'overview'} />
        <Group title={t.storage} entries={[list('volumes')]} />
        <Group
          title={t.build}
          entries={[list('notebooks'), jobs, list('tensorboards'), list('pods')]}
        />
        <Group title={t.auxiliary} entries={[list('secrets'), list('configmaps')]} />
        <Group title={t.cluster} entries={[list('queues'), list('nodes')]} />
        <Link href={aboutHref} text={t.about} current={at.page === 'about'} />
      </ul>
    </nav>
  );
}
