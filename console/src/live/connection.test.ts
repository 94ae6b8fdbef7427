import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { backoff } from './backoff';
import { Connection, type Transport } from './connection';
import type { Stream } from './protocol';

class FakeSocket {
  onopen = () => {};
  onclose = () => {};
  onmessage = (_: { data: string }) => {};
  sent: Record<string, unknown>[] = [];
  close = vi.fn();
  send(text: string) {
    this.sent.push(JSON.parse(text));
  }
  reply(reply: object) {
    this.onmessage({ data: JSON.stringify(reply) });
  }
}

function setUp() {
  const sockets: FakeSocket[] = [];
  const probe = vi.fn<Transport['probe']>().mockResolvedValue('unreachable');
  const connection = new Connection({
    socket() {
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket as unknown as WebSocket;
    },
    probe,
  });
  const stream = {
    request: vi.fn(() => ({ watch: {} as never, resourceVersion: '7' })),
    receive: vi.fn(),
  } satisfies Stream;
  connection.start(stream);
  connection.connect();
  const socket = (n: number) => sockets[n] as FakeSocket;
  return { connection, sockets, socket, probe, stream };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('Connection', () => {
  it('starts the streams when the socket opens, and again after a loss under new ids', async () => {
    const { connection, socket, stream } = setUp();
    expect(stream.request).not.toHaveBeenCalled();
    socket(0).onopen();
    const first = socket(0).sent[0]?.id;
    socket(0).onclose();
    expect(connection.state.value.kind).toBe('lost');
    await vi.advanceTimersByTimeAsync(1000);
    socket(1).onopen();
    expect(connection.state.value.kind).toBe('open');
    const second = socket(1).sent[0]?.id;
    expect(second).not.toBe(first);
    socket(1).reply({ id: first, synced: true });
    expect(stream.receive).not.toHaveBeenCalled();
    socket(1).reply({ id: second, synced: true });
    expect(stream.receive).toHaveBeenCalledTimes(1);
  });

  it('tells a missing session from a missing server, and returns after the login', async () => {
    const { connection, socket, probe } = setUp();
    probe.mockResolvedValue('signed out');
    socket(0).onclose();
    await vi.advanceTimersByTimeAsync(0);
    expect(connection.state.value.kind).toBe('signed out');
    await vi.advanceTimersByTimeAsync(1000);
    socket(1).onopen();
    expect(connection.state.value.kind).toBe('open');
  });

  it('waits longer after each failure', async () => {
    const { sockets, socket } = setUp();
    for (let n = 0; n < 6; n++) {
      socket(sockets.length - 1).onclose();
      await vi.advanceTimersByTimeAsync(10_000);
    }
    socket(sockets.length - 1).onclose();
    const before = sockets.length;
    await vi.advanceTimersByTimeAsync(4000);
    expect(sockets).toHaveLength(before);
  });

  it('notices a socket that died without a word', async () => {
    const { connection, socket } = setUp();
    socket(0).onopen();
    await connection.checkSilence(Date.now() + 31_000);
    expect(socket(0).close).toHaveBeenCalled();
    expect(connection.state.value.kind).toBe('lost');
  });

  it('stops a stream at the server', () => {
    const { connection, socket, stream } = setUp();
    socket(0).onopen();
    connection.stop(stream);
    expect(socket(0).sent[1]).toEqual({ id: socket(0).sent[0]?.id, stop: true });
  });
});

describe('backoff', () => {
  it('doubles up to ten seconds', () => {
    expect([0, 1, 2, 5, 99].map((n) => backoff(n, 0.999999))).toEqual(
      [500, 1000, 2000, 10_000, 10_000].map((ms) => expect.closeTo(ms, -1)),
    );
    expect(backoff(0, 0)).toBe(250);
  });
});
