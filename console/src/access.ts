import { type Signal, signal } from '@preact/signals';
import { ask } from './api';
import { words } from './i18n';
import { connection } from './live/tab';

/** What somebody might want to do, as the API's rules name it. */
export interface Deed {
  verb: string;
  group: string;
  /** With its subresource, if one is meant: `pods/exec`. */
  resource: string;
  namespace: string;
}

interface Review {
  status?: { allowed?: boolean; reason?: string };
}

/** Rights change seldom; who got one presses Refresh or waits. */
const lasting = 60_000;

const known = new Map<string, { refusal: Signal<string>; asked: number }>();

async function review(deed: Deed, refusal: Signal<string>): Promise<void> {
  const [resource, subresource = ''] = deed.resource.split('/');
  const { verb, group, namespace } = deed;
  try {
    const { status } = await ask<Review>(
      'POST',
      '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: { resourceAttributes: { verb, group, resource, subresource, namespace } },
      },
    );
    refusal.value = status?.allowed
      ? ''
      : status?.reason || words.peek().notAllowed(verb, deed.resource, namespace);
  } catch {
    // Then the server says it when the deed is tried.
  }
}

/**
 * Why the user may not do it, or nobody can while the server is out of reach; empty when they may, and until the server
 * has answered. Followed by who reads it.
 */
export function refusalOf(deed: Deed): string {
  if (connection.state.value.kind === 'lost') return words.value.notNow;
  const key = `${deed.verb} ${deed.resource}.${deed.group} ${deed.namespace}`;
  const found = known.get(key) ?? { refusal: signal(''), asked: 0 };
  known.set(key, found);
  if (Date.now() - found.asked > lasting) {
    found.asked = Date.now();
    void review(deed, found.refusal);
  }
  return found.refusal.value;
}
