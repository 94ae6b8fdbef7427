import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Refused } from '../api';
import { forgetLogin, request, secret } from '../login';
import { SignIn } from '../sign_in';
import { appWords } from './words';

/** The page that leads on to a notebook or a TensorBoard, in a tab of its own: /open/NAMESPACE/KIND/NAME. */
export const isOpening = () => location.pathname.startsWith('/open/');

async function linkToApp(): Promise<string> {
  const answer = await request(location.pathname, { method: 'POST' });
  if (answer.status === 401) forgetLogin();
  const said = (await answer.json()) as { link?: string; message?: string };
  if (!said.link) throw new Refused(said.message || `${answer.status} ${answer.statusText}`);
  return said.link;
}

/** Apps have names of their own, which some systems do not know. Any answer will do, also one that may not be read. */
async function isKnown(origin: string): Promise<boolean> {
  try {
    await fetch(`${origin}/known`, { mode: 'no-cors', cache: 'no-store' });
    return true;
  } catch {
    return false;
  }
}

export function OpenApp() {
  const t = appWords.value;
  const trouble = useSignal('');
  const unknown = useSignal<URL | undefined>(undefined);
  const here = secret.value;
  useEffect(() => {
    if (!here) return;
    const open = async () => {
      const link = new URL(await linkToApp());
      if (await isKnown(link.origin)) location.replace(link);
      else unknown.value = link;
    };
    open().catch((error: Error) => {
      trouble.value = error.message;
    });
  }, [here]);
  if (!here) return <SignIn />;
  if (trouble.value) return <p class="card refusal">{trouble.value}</p>;
  const link = unknown.value;
  if (!link) return <p class="card">{t.opening}</p>;
  return (
    <section class="card" aria-labelledby="unknown-name">
      <h1 id="unknown-name">{t.unknownName}</h1>
      <p>{t.unknownNameHow(link.hostname)}</p>
      <pre class="command">127.0.0.1 {link.hostname}</pre>
      <p>
        <a href={link.href}>{t.tryAnyway}</a>
      </p>
    </section>
  );
}
