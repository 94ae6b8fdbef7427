import { signal } from '@preact/signals';
import { isListPage, type ListPage } from './kinds';

export type JobTab = 'facts' | 'replicas';

export const overviewTabs = ['resources', 'events', 'quota'] as const;
export type OverviewTab = (typeof overviewTabs)[number];

/** Where the user is. The address holds it, so that a link shares the view. */
export type Route =
  | { page: 'overview'; tab: OverviewTab }
  | { page: 'jobs' }
  /** The kind is empty when the address does not say it. */
  | { page: 'job'; namespace: string; kind: string; name: string; tab: JobTab }
  | { page: 'list'; list: ListPage }
  | { page: 'about' };

export function parseRoute(hash: string): Route {
  const [path = ''] = hash.replace(/^#\/?/, '').split('?');
  const [page = '', ...rest] = path.split('/').map(decode);
  if (page === 'jobs') return parseJob(rest) ?? { page: 'jobs' };
  if (page === 'about') return { page: 'about' };
  if (isListPage(page)) return { page: 'list', list: page };
  const tab = overviewTabs.find((each) => page === 'overview' && each === rest[0]);
  return { page: 'overview', tab: tab ?? 'resources' };
}

/** `NAMESPACE/KIND/NAME[/TAB]`, or `NAMESPACE/NAME` from who does not know the kind. */
function parseJob(parts: string[]): Route | undefined {
  const [namespace, kind, name, tab] = parts.length === 2 ? [parts[0], '', parts[1]] : parts;
  if (!namespace || kind === undefined || !name || parts.length > 4) return undefined;
  return { page: 'job', namespace, kind, name, tab: tab === 'replicas' ? 'replicas' : 'facts' };
}

export const overviewHref = '#/overview';
export function overviewTabHref(tab: OverviewTab): string {
  return tab === 'resources' ? overviewHref : `${overviewHref}/${tab}`;
}

export const jobsHref = '#/jobs';
export const aboutHref = '#/about';

export function listHref(list: ListPage): string {
  return `#/${list}`;
}

export function jobHref(
  namespace: string,
  kind: string,
  name: string,
  tab: JobTab = 'facts',
): string {
  const path = [namespace, kind, name, ...(tab === 'facts' ? [] : [tab])];
  return `#/jobs/${path.map(encodeURIComponent).join('/')}`;
}

/** Undecodable text comes from a hand-made address: it names nothing, and must not break the page. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}

export const route = signal<Route>({ page: 'overview', tab: 'resources' });
/** What stands behind the question mark: filters, order and page of a list. */
export const query = signal('');

function read(): void {
  query.value = location.hash.split('?')[1] ?? '';
  const next = parseRoute(location.hash);
  if (JSON.stringify(next) === JSON.stringify(route.peek())) return;
  route.value = next;
  scrollTo(0, 0);
}

export function startRoute(): void {
  addEventListener('hashchange', read);
  read();
}

/** Without an entry in the history: the way back leads to another page, not to another filter. */
export function replaceQuery(text: string): void {
  const [path = ''] = location.hash.split('?');
  history.replaceState(null, '', `${path || jobsHref}${text ? `?${text}` : ''}`);
  query.value = text;
}
