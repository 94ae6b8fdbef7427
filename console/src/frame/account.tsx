import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ask } from '../api';
import { words } from '../i18n';
import { logOut } from '../login';
import { Menu, MenuItem } from '../ui/menu';

interface Review {
  status?: { userInfo?: { username?: string; groups?: string[] } };
}

function Who() {
  const t = words.value;
  const said = useSignal<Review | string | undefined>(undefined);
  useEffect(() => {
    const question = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    ask<Review>('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', question)
      .then((review) => {
        said.value = review;
      })
      .catch((error: Error) => {
        said.value = error.message;
      });
  }, []);
  const answer = said.value;
  if (answer === undefined) return <p class="item">{t.loading}</p>;
  if (typeof answer === 'string') return <p class="item problem">{answer}</p>;
  const user = answer.status?.userInfo;
  return (
    <dl class="who">
      <dt>{t.signedInAs}</dt>
      <dd>{user?.username ?? '-'}</dd>
      <dt>{t.groups}</dt>
      <dd>{user?.groups?.join(', ') || '-'}</dd>
    </dl>
  );
}

export function Account() {
  const face = (
    <svg class="sign" viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="8" cy="5.5" r="3" />
      <path d="M2.5 14.5c.6-3.4 2.7-5 5.5-5s4.9 1.6 5.5 5" />
    </svg>
  );
  return (
    <Menu face={face} label={words.value.account} class="plain">
      {() => (
        <>
          <Who />
          <MenuItem onClick={() => void logOut()}>{words.value.signOut}</MenuItem>
        </>
      )}
    </Menu>
  );
}
