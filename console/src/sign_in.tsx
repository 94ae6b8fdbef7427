import { words } from './i18n';
import { linkIsSpent } from './login';

export function SignIn() {
  const t = words.value;
  return (
    <section class="card sign-in" aria-labelledby="sign-in-title">
      <h1 id="sign-in-title">{t.signedOut}</h1>
      <p>{linkIsSpent.value ? t.linkSpent : t.signedOutWhy}</p>
      <p>{t.signedOutHow}</p>
      <pre class="command">trainyard open</pre>
      <p>{t.signedOutThen}</p>
    </section>
  );
}
