import { describe, expect, it } from 'vitest';
import type { LogRequest, Stream } from '../live/protocol';
import { LogFeed, type LogSource } from './feed';
import type { LinesAnswer, LogDoor } from './log_door';

class FakeStreams {
  running: Stream[] = [];
  start(stream: Stream) {
    this.running.push(stream);
  }
  stop(stream: Stream) {
    this.running = this.running.filter((each) => each !== stream);
  }
  restart() {}
  /** What the stream of a pod asks for now. */
  asked(pod: string) {
    const requests = this.running.map((stream) => stream.request() as LogRequest);
    return requests.find(({ log }) => log.pod === pod)?.log;
  }
  of(uid: string): Stream {
    const found = this.running.find((stream) => (stream.request() as LogRequest).log.uid === uid);
    if (!found) throw new Error(`no stream of ${uid}`);
    return found;
  }
}

const stampOf = (second: number) =>
  `2026-11-16T${String(Math.floor(second / 3600)).padStart(2, '0')}:${String(Math.floor(second / 60) % 60).padStart(2, '0')}:${String(second % 60).padStart(2, '0')}`;

/** Logs of which each line is a second later than the one before, from the log's first second on. */
class Door implements LogDoor {
  logs: Record<string, { begin: number; kept: number; last: number }> = {};
  asked: string[] = [];

  text(uid: string, from: number, to: number): string {
    const { begin } = this.logs[uid] ?? { begin: 0 };
    let text = '';
    for (let n = from; n <= to; n++) text += `${stampOf(begin + n)}Z ${uid}${n}\n`;
    return text;
  }
  lines({ uid }: { uid: string }, from: number, to: number): Promise<LinesAnswer> {
    const { kept, last } = this.logs[uid] as { kept: number; last: number };
    this.asked.push(`${uid} ${from}-${to}`);
    const first = Math.max(kept, from);
    return Promise.resolve({ kept, last, first, text: this.text(uid, first, Math.min(to, last)) });
  }
  lineAt({ uid }: { uid: string }, time: string): Promise<number> {
    const { begin, last } = this.logs[uid] as { begin: number; last: number };
    let line = 1;
    while (line <= last && stampOf(begin + line) < time) line++;
    return Promise.resolve(line);
  }
  find = () => Promise.reject(new Error('not asked for'));
}

const source = (tag: string, uid: string, phase = 'Running'): LogSource => ({
  namespace: 'default',
  pod: `job-${tag}`,
  uid,
  container: 'main',
  previous: false,
  tag,
  phase,
});
const stamped = (second: number, text: string) => `2026-11-16T10:00:0${second}Z ${text}\n`;

function setUp(...sources: LogSource[]) {
  const streams = new FakeStreams();
  const feed = new LogFeed(streams, new Door(), () => {});
  feed.sync(sources);
  return { streams, feed };
}

/** Logs of so many lines, of which the last ones were sent. */
function ended(bound: number, ...logs: [uid: string, begin: number, last: number, sent: number][]) {
  const streams = new FakeStreams();
  const door = new Door();
  const feed = new LogFeed(streams, door, () => {}, bound);
  feed.sync(logs.map(([uid], i) => source(`worker-${i}`, uid, 'Succeeded')));
  for (const [uid, begin, last, sent] of logs) {
    door.logs[uid] = { begin, kept: 1, last };
    const stream = streams.of(uid);
    stream.receive({ from: last - sent + 1, kept: 1, last });
    stream.receive({ text: door.text(uid, last - sent + 1, last) });
    stream.receive({ end: true });
  }
  feed.take(true);
  const shown = () => {
    const texts = feed.all.lines.map(({ text }) => text);
    return [texts[0], texts.at(-1), texts.length];
  };
  /** As the screen does when what it asked for has come. */
  const arrive = () =>
    new Promise<void>((done) => {
      feed.onArrived = () => {
        feed.take(false);
        done();
      };
    });
  const inOrder = () =>
    feed.all.lines.every((line, i, all) => i === 0 || (all[i - 1]?.time ?? '') <= line.time);
  return { streams, door, feed, shown, arrive, inOrder };
}

describe('LogFeed', () => {
  it('merges what comes of each log, and shares the bound among them', () => {
    const { streams, feed } = setUp(source('worker-0', 'a'), source('worker-1', 'b'));
    expect(streams.asked('job-worker-1')).toMatchObject({ tailLines: 2000, timestamps: true });
    streams.of('a').receive({ text: stamped(1, 'one') + stamped(3, 'three') });
    streams.of('b').receive({ text: `${stamped(2, 'two')}2026-11-16T10:00:04Z unfi` });
    expect(feed.take(true).map(({ text }) => text)).toEqual(['unfi']);
    expect(feed.all.lines.map(({ text, source }) => [text, source])).toEqual([
      ['one', 0],
      ['two', 1],
      ['three', 0],
    ]);
  });

  it('keeps the lines of a pod that was replaced, and follows the next under the same name and colour', () => {
    const { streams, feed } = setUp(source('worker-0', 'a'), source('worker-1', 'b'));
    streams.of('b').receive({ text: stamped(1, 'first try') });
    feed.sync([source('worker-0', 'a'), source('worker-1', 'c')]);
    expect(() => streams.of('b')).toThrow();
    streams.of('c').receive({ text: stamped(2, 'second try') });
    feed.take(true);
    expect(feed.all.lines.map(({ text }) => text)).toEqual(['first try', 'second try']);
    expect(feed.tags()).toEqual(['worker-0', 'worker-1', 'worker-1']);
    expect(feed.colours()).toEqual([0, 1, 1]);
  });

  it('shows the lines of a pod once, though more of it becomes known', () => {
    const { streams, feed } = setUp(source('worker-0', ''));
    streams.of('').receive({ text: stamped(1, 'once') });
    feed.take(true);
    feed.sync([source('worker-0', 'a')]);
    streams.of('a').receive({ from: 1, kept: 1, last: 1 });
    streams.of('a').receive({ text: stamped(1, 'once') });
    feed.take(true);
    expect(feed.all.lines.map(({ text }) => text)).toEqual(['once']);
    expect(feed.window.total()).toBe(1);
  });

  it('drops only the lines of the log that begins anew', () => {
    const { streams, feed } = setUp(source('worker-0', 'a'), source('worker-1', 'b'));
    streams.of('a').receive({ text: stamped(1, 'a') });
    streams.of('b').receive({ text: stamped(2, 'b') });
    feed.take(true);
    const again = streams.of('a'); // asks anew, as after a lost connection
    again.receive({ text: stamped(1, 'a') + stamped(3, 'more') });
    feed.take(true);
    expect(feed.all.lines.map(({ text }) => text)).toEqual(['a', 'b', 'more']);
  });

  it('tells no more of a log that nobody wants', () => {
    const { streams, feed } = setUp(source('worker-0', '', 'Pending'));
    streams.of('').receive({ error: { code: 404, message: 'not found' } });
    expect(feed.states.value).toEqual([
      { tag: 'worker-0', state: { kind: 'failed', message: 'not found' } },
    ]);
    feed.sync([source('worker-0', 'a')]);
    expect(feed.states.value).toEqual([{ tag: 'worker-0', state: { kind: 'asked' } }]);
    feed.close();
    expect(streams.running).toEqual([]);
  });
});

describe('a log that is longer than what is here', () => {
  it('has the numbers of its file, and earlier lines come when they are wanted', async () => {
    const { feed, shown, arrive } = ended(50_000, ['a', 0, 10_000, 4000]);
    expect(shown()).toEqual(['a6001', 'a10000', 4000]);
    expect([feed.window.before(), feed.window.total()]).toEqual([6000, 10_000]);
    for (const [first, many] of [
      ['a2001', 8000],
      ['a1', 10_000],
    ]) {
      feed.earlier();
      await arrive();
      expect(shown()).toEqual([first, 'a10000', many]);
    }
    expect(feed.window.before()).toBe(0);
    feed.earlier(); // there are none
    expect(feed.all.lines[2000]?.number).toBe(2001);
  });

  it('shows no line of one before all that came after it in others is here', async () => {
    // Of the slow one the last 100 lines go back further than the last 100 of the other.
    const { feed, shown, arrive, inOrder } = ended(
      50_000,
      ['a', 0, 3000, 100],
      ['b', 1000, 2000, 50],
    );
    expect(shown()).toEqual(['a2951', 'b2000', 100]);
    expect([feed.window.before(), feed.window.total()]).toEqual([4900, 5000]);
    feed.earlier();
    await arrive();
    expect(inOrder()).toBe(true);
    expect(feed.window.before() + feed.all.lines.length).toBe(5000);
    feed.earlier();
    await arrive();
    expect(shown()).toEqual(['a1', 'b2000', 5000]);
  });

  it('forgets the newest while the oldest are read, and fetches them again', async () => {
    const { feed, shown, arrive } = ended(6000, ['a', 0, 20_000, 4000]);
    feed.earlier();
    await arrive();
    expect(shown()).toEqual(['a12001', 'a18000', 6000]);
    expect([feed.window.detached, feed.window.before()]).toEqual([true, 12_000]);
    for (let i = 0; i < 2 && feed.window.detached; i++) {
      feed.onArrived = () => feed.take(true);
      feed.later();
      await new Promise((done) => setTimeout(done));
    }
    expect(shown()[1]).toBe('a20000');
    expect(feed.window.detached).toBe(false);
  });

  it('jumps to the beginning and to a line, with what was written around it', async () => {
    const { feed, shown, arrive, inOrder } = ended(
      50_000,
      ['a', 0, 50_000, 2000],
      ['b', 30_000, 20_000, 2000],
    );
    const there = arrive();
    void feed.jump('start');
    await there;
    expect(shown()).toEqual(['a1', 'a2000', 2000]);
    expect(feed.window.before()).toBe(0);
    const again = arrive();
    void feed.jump({ source: 0, line: 40_000, time: stampOf(40_000) });
    await again;
    expect(inOrder()).toBe(true);
    const at = feed.all.lines.findIndex(({ text }) => text === 'a40000');
    expect(at).toBeGreaterThan(500);
    // 39,999 lines of a, and all of b up to then.
    expect(feed.window.before() + at).toBeGreaterThanOrEqual(39_999 + 9999);
    expect(feed.window.before() + at).toBeLessThanOrEqual(39_999 + 10_000);
  });

  it('tells when lines cannot be fetched', async () => {
    const { door, feed } = ended(50_000, ['a', 0, 10_000, 100]);
    door.lines = () => Promise.reject(new Error('gone'));
    feed.earlier();
    await new Promise((done) => setTimeout(done));
    expect(feed.problem.value).toBe('gone');
  });
});
