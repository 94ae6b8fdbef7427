import { signal } from '@preact/signals';
import { type CreatableJob, creatableJobs, isListPage, type ListPage, listKinds } from './kinds';

export const jobTabs = ['facts', 'replicas', 'metrics', 'logs', 'monitoring'] as const;
export type JobTab = (typeof jobTabs)[number];

export const overviewTabs = ['resources', 'events', 'quota'] as const;
export type OverviewTab = (typeof overviewTabs)[number];

/** Where the user is. The address holds it, so that a link shares the view. */
export type Route =
  | { page: 'overview'; tab: OverviewTab }
  | { page: 'jobs' }
  | { page: 'create job'; kind: CreatableJob }
  /** The kind is empty when the address does not say it. */
  | { page: 'job'; namespace: string; kind: string; name: string; tab: JobTab }
  | { page: 'list'; list: ListPage }
  /** Where one is made. */
  | { page: 'make'; list: ListPage }
  /** One object of a list; the namespace is empty for kinds of the whole cluster. The page knows its tabs. */
  | { page: 'object'; list: ListPage; namespace: string; name: string; tab: string }
  | { page: 'about' }
  /** An address that names nothing here. */
  | { page: 'unknown' };

export function parseRoute(hash: string): Route {
  const [path = ''] = hash.replace(/^#\/?/, '').split('?');
  const [page = '', ...rest] = path.split('/').map(decode);
  if (page === 'jobs') return parseCreate(rest) ?? parseJob(rest) ?? { page: 'jobs' };
  if (page === 'about') return { page: 'about' };
  if (isListPage(page)) return parseObject(page, rest) ?? { page: 'list', list: page };
  if (page !== 'overview' && path !== '') return { page: 'unknown' };
  const tab = overviewTabs.find((each) => each === rest[0]);
  return { page: 'overview', tab: tab ?? 'resources' };
}

/** `create/KIND`. No job is meant: their names have no capitals. */
function parseCreate([first, kind]: string[]): Route | undefined {
  const known = creatableJobs.find((each) => first === 'create' && each === kind);
  return known && { page: 'create job', kind: known };
}

/** `NAMESPACE/KIND/NAME[/TAB]`, or `NAMESPACE/NAME` from who does not know the kind. */
function parseJob(parts: string[]): Route | undefined {
  const [namespace, kind, name, tab] = parts.length === 2 ? [parts[0], '', parts[1]] : parts;
  if (!namespace || kind === undefined || !name || parts.length > 4) return undefined;
  const known = jobTabs.find((each) => each === tab) ?? 'facts';
  return { page: 'job', namespace, kind, name, tab: known };
}

/**
 * `NAMESPACE/NAME[/TAB]`; `create` alone, which is no object. Kinds of the whole cluster have no namespace, and are not
 * made here: there `create` is a name like others.
 */
function parseObject(list: ListPage, parts: string[]): Route | undefined {
  const inCluster = 'cluster' in listKinds[list];
  if (!inCluster && parts.length === 1 && parts[0] === 'create') return { page: 'make', list };
  const [namespace, name, tab = '', ...more] = inCluster ? ['', ...parts] : parts;
  if (namespace === undefined || (!inCluster && !namespace) || !name || more.length > 0) {
    return undefined;
  }
  return { page: 'object', list, namespace, name, tab };
}

export const overviewHref = '#/overview';
export function overviewTabHref(tab: OverviewTab): string {
  return tab === 'resources' ? overviewHref : `${overviewHref}/${tab}`;
}

export const jobsHref = '#/jobs';
/** The form for a new job, filled in like the job `from`, if there is one. */
export function createJobHref(
  kind: CreatableJob,
  from?: { namespace?: string; name: string },
): string {
  const source = from && `${from.namespace ?? ''}/${from.name}`;
  return `#/jobs/create/${kind}${source ? `?from=${encodeURIComponent(source)}` : ''}`;
}

export const aboutHref = '#/about';

export function listHref(list: ListPage): string {
  return `#/${list}`;
}

export function makeHref(list: ListPage): string {
  return `#/${list}/create`;
}

/** The first tab needs no name. */
export function objectHref(list: ListPage, namespace: string, name: string, tab = ''): string {
  const path = [namespace, name, tab].filter((part) => part !== '');
  return `#/${list}/${path.map(encodeURIComponent).join('/')}`;
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

/** The dialog that the history's entry is of, if it is of one (see `showDialog`). */
export function dialogEntry(): string | undefined {
  return (history.state as { dialog?: string } | null)?.dialog;
}

/** To another page. From a dialog it takes the dialog's place: the way back leads to the page that it was over. */
export function goTo(href: string): void {
  if (dialogEntry() === undefined) location.hash = href;
  else location.replace(href.startsWith('#') ? href : `#${href}`);
}

/** Without an entry in the history: the way back leads to another page, not to another filter. */
export function replaceQuery(text: string): void {
  const [path = ''] = location.hash.split('?');
  history.replaceState(history.state, '', `${path || jobsHref}${text ? `?${text}` : ''}`);
  query.value = text;
}
