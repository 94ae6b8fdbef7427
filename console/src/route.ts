import { signal } from '@preact/signals';

/** Where the user is. The address holds it, so that a link shares the view. */
export type Route = { page: 'jobs' } | { page: 'job'; namespace: string; name: string };

export function parseRoute(hash: string): Route {
  const [page, namespace, name, ...rest] = hash.replace(/^#\/?/, '').split('/').map(decode);
  if (page === 'jobs' && namespace && name && rest.length === 0) {
    return { page: 'job', namespace, name };
  }
  return { page: 'jobs' };
}

export const jobsHref = '#/jobs';

export function jobHref(namespace: string, name: string): string {
  return `#/jobs/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
}

/** Undecodable text comes from a hand-made address: it names nothing, and must not break the page. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}

export const route = signal<Route>({ page: 'jobs' });

export function startRoute(): void {
  const read = () => {
    route.value = parseRoute(location.hash);
    // On a narrow screen the details replace the list, which may have been scrolled far down.
    scrollTo(0, 0);
  };
  addEventListener('hashchange', read);
  read();
}
