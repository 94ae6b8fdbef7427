// Who this tab is to the server. The cookie alone is worth nothing: browsers send it to every port of this machine. The
// other half is a secret that only pages of this origin have. It goes with each request as a header, into each
// WebSocket as its first message, and into no address.
import { signal } from '@preact/signals';

const storageKey = 'trainyard-secret';
const header = 'X-Trainyard-Secret';
/** How long other tabs may take to answer. */
const patience = 1000;

type Message =
  /** A new tab asks the others. */
  | { ask: true }
  /** Their answer. */
  | { secret: string }
  /** A login link was followed, which made the secret before it worthless. */
  | { fresh: string }
  | { left: true };

/** Empty: this tab is not logged in. */
export const secret = signal('');
/** The login link that led here was used already, or is too old. */
export const linkIsSpent = signal(false);

let channel: BroadcastChannel | undefined;

function keep(value: string): void {
  secret.value = value;
  sessionStorage.setItem(storageKey, value);
}

/** What the server does not know (any more) is not passed on to new tabs. */
export function forgetLogin(): void {
  secret.value = '';
  sessionStorage.removeItem(storageKey);
}

function received(message: Message): void {
  if ('ask' in message) {
    if (secret.value) channel?.postMessage({ secret: secret.value } satisfies Message);
  } else if ('fresh' in message) keep(message.fresh);
  else if ('left' in message) forgetLogin();
  else if (!secret.value) keep(message.secret);
}

function askOtherTabs(): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stop();
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(done, patience);
    const stop = secret.subscribe((value) => {
      if (value) queueMicrotask(done);
    });
    channel?.postMessage({ ask: true } satisfies Message);
  });
}

/** Takes the link's secret out of the address and the history before it is used. */
async function followLink(): Promise<void> {
  const given = new URLSearchParams(location.hash.slice(1));
  const token = given.get('token') ?? '';
  const job = (given.get('job') ?? '').split('/').map(encodeURIComponent);
  history.replaceState(null, '', job.length === 2 ? `/#/jobs/${job.join('/')}` : '/');
  if (!token) return;
  const answer = await fetch('/login', { method: 'POST', body: JSON.stringify({ token }) });
  if (!answer.ok) {
    linkIsSpent.value = answer.status === 401;
    return;
  }
  const made = (await answer.json()) as { secret: string };
  keep(made.secret);
  channel?.postMessage({ fresh: made.secret } satisfies Message);
}

/** To be awaited before anything is asked of the server. */
export async function startLogin(): Promise<void> {
  channel = new BroadcastChannel('trainyard-login');
  channel.onmessage = ({ data }: MessageEvent<Message>) => received(data);
  secret.value = sessionStorage.getItem(storageKey) ?? '';
  if (location.pathname === '/login') await followLink().catch(() => undefined);
  if (!secret.value) await askOtherTabs();
}

/** `fetch`, as who is logged in here. */
export function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set(header, secret.value);
  return fetch(path, { cache: 'no-store', ...init, headers });
}

/** The same for what `fetch` cannot do. */
export function sign(request: XMLHttpRequest): void {
  request.setRequestHeader(header, secret.value);
}

export function openSocket(path: string, subprotocols: readonly string[] = []): WebSocket {
  const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
  const socket = new WebSocket(`${scheme}://${location.host}${path}`, [...subprotocols]);
  // Registered first, so that it is the first message whatever else is sent on opening.
  socket.addEventListener('open', () => socket.send(JSON.stringify({ secret: secret.value })));
  return socket;
}

/** An address that may be left to the browser: once, and soon. */
export async function ticketed(path: string): Promise<string> {
  const answer = await request('/tickets', { method: 'POST', body: JSON.stringify({ path }) });
  const said = (await answer.json()) as { ticket?: string; message?: string };
  if (!said.ticket) throw new Error(said.message || `${answer.status} ${answer.statusText}`);
  return `${path}${path.includes('?') ? '&' : '?'}ticket=${said.ticket}`;
}

/** The server ends the session; the page then finds itself signed out. */
export async function logOut(): Promise<void> {
  await request('/logout', { method: 'POST' });
  channel?.postMessage({ left: true } satisfies Message);
  forgetLogin();
  location.reload();
}
