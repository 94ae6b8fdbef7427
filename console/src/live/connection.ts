import { signal } from '@preact/signals';
import { forgetLogin, openSocket, request, secret } from '../login';
import { backoff } from './backoff';
import type { Reply, Stream, Streams } from './protocol';

export type ConnectionState =
  | { kind: 'connecting' }
  | { kind: 'open' }
  | { kind: 'lost'; since: Date }
  | { kind: 'signed out' };

/** What the connection needs of the browser; tests bring their own. */
export interface Transport {
  socket(): WebSocket;
  /** Is the server there, and does it know us? A refused WebSocket does not tell why. */
  probe(): Promise<'ok' | 'signed out' | 'unreachable'>;
}

/** A socket that says nothing for this long is asked about: a sleeping laptop's socket dies without a word. */
const silenceLimit = 30_000;

/**
 * The one socket of the tab. It lives as long as the page, returns by itself after a loss, and then starts
 * every stream again.
 *
 *   connecting ──> open ──> lost ──> open
 *        │           └────────┴──> signed out ──> open      (the login happened in another tab)
 *        └──> lost, signed out
 *
 * Invariant: each started stream has exactly one id; replies under any other id are dropped.
 */
export class Connection implements Streams {
  readonly state = signal<ConnectionState>({ kind: 'connecting' });

  #transport: Transport;
  #socket: WebSocket | undefined;
  #streams = new Map<number, Stream>();
  #nextId = 1;
  #failures = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #lastReply = 0;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  connect(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    const socket = this.#transport.socket();
    this.#socket = socket;
    socket.onopen = () => this.#opened(socket);
    socket.onmessage = (message) => this.#received(socket, String(message.data));
    socket.onclose = () => this.#closed(socket);
  }

  /** Does nothing while a try is under way. */
  retryNow(): void {
    if (this.#retry !== undefined) this.connect();
  }

  /** To be called now and then, and when the tab comes back to sight. */
  async checkSilence(now: number): Promise<void> {
    this.retryNow();
    const socket = this.#socket;
    if (this.state.value.kind !== 'open' || now - this.#lastReply < silenceLimit) return;
    this.#lastReply = now;
    // Means nothing to the server, but makes a socket whose other end is gone fail.
    this.#send(0, { stop: true });
    if ((await this.#transport.probe()) === 'ok' || !socket) return;
    this.#drop(socket);
  }

  start(stream: Stream): void {
    const id = this.#nextId++;
    this.#streams.set(id, stream);
    if (this.state.value.kind === 'open') this.#send(id, stream.request());
  }

  stop(stream: Stream): void {
    for (const [id, other] of this.#streams) {
      if (other !== stream) continue;
      this.#streams.delete(id);
      if (this.state.value.kind === 'open') this.#send(id, { stop: true });
    }
  }

  restart(stream: Stream): void {
    this.stop(stream);
    this.start(stream);
  }

  #send(id: number, what: object): void {
    this.#socket?.send(JSON.stringify({ id, ...what }));
  }

  #opened(socket: WebSocket): void {
    if (socket !== this.#socket) return;
    this.#lastReply = Date.now();
    const streams = [...this.#streams.values()];
    this.#streams.clear();
    this.state.value = { kind: 'open' };
    for (const stream of streams) this.start(stream);
  }

  #received(socket: WebSocket, data: string): void {
    if (socket !== this.#socket) return;
    const reply = JSON.parse(data) as Reply & { id: number };
    // Only now is it worth calling a success: a server that accepts and hangs up must not be hammered.
    this.#failures = 0;
    this.#lastReply = Date.now();
    if (reply.error?.code === 401) this.#drop(socket);
    else this.#streams.get(reply.id)?.receive(reply);
  }

  /** The browser may wait minutes for the other side's goodbye, so take it as said. */
  #drop(socket: WebSocket): void {
    socket.close();
    void this.#closed(socket);
  }

  async #closed(socket: WebSocket): Promise<void> {
    if (socket !== this.#socket) return;
    this.#socket = undefined;
    const before = this.state.value;
    if (before.kind === 'open') this.state.value = { kind: 'lost', since: new Date() };
    const found = await this.#transport.probe();
    if (found === 'signed out') {
      this.state.value = { kind: 'signed out' };
    } else if (this.state.value.kind !== 'lost') {
      this.state.value = { kind: 'lost', since: new Date() };
    }
    this.#retry = setTimeout(() => this.connect(), backoff(this.#failures++, Math.random()));
  }
}

/** The real browser and the server that the page came from. */
export const browserTransport: Transport = {
  socket: () => openSocket('/ws'),
  async probe() {
    const known = secret.peek();
    try {
      const answer = await request('/api/v1/namespaces?limit=1', {
        signal: AbortSignal.timeout(5000),
      });
      if (answer.status !== 401) return 'ok';
      // Unless another tab has logged in meanwhile.
      if (secret.peek() === known) forgetLogin();
      return 'signed out';
    } catch {
      return 'unreachable';
    }
  },
};

/** The moments at which a dead socket should be noticed or a lost one be tried again at once. */
export function keepAlive(connection: Connection): void {
  const check = () => {
    if (document.visibilityState === 'visible') void connection.checkSilence(Date.now());
  };
  setInterval(() => {
    if (connection.state.value.kind === 'open') check();
  }, 10_000);
  document.addEventListener('visibilitychange', check);
  addEventListener('online', check);
}
