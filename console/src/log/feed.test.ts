import { describe, expect, it } from 'vitest';
import type { LogRequest, Stream } from '../live/protocol';
import { LogFeed, type LogSource } from './feed';

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
  const feed = new LogFeed(streams, () => {});
  feed.sync(sources);
  return { streams, feed };
}

describe('LogFeed', () => {
  it('merges what comes of each log, and shares the bound among them', () => {
    const { streams, feed } = setUp(source('worker-0', 'a'), source('worker-1', 'b'));
    expect(streams.asked('job-worker-1')).toMatchObject({ tailLines: 100_000, timestamps: true });
    streams.of('a').receive({ text: stamped(1, 'one') + stamped(3, 'three') });
    streams.of('b').receive({ text: `${stamped(2, 'two')}2026-11-16T10:00:04Z unfi` });
    expect(feed.take().map(({ text }) => text)).toEqual(['unfi']);
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
    feed.take();
    expect(feed.all.lines.map(({ text }) => text)).toEqual(['first try', 'second try']);
    expect(feed.tags()).toEqual(['worker-0', 'worker-1', 'worker-1']);
    expect(feed.colours()).toEqual([0, 1, 1]);
  });

  it('drops only the lines of the log that begins anew', () => {
    const { streams, feed } = setUp(source('worker-0', 'a'), source('worker-1', 'b'));
    streams.of('a').receive({ text: stamped(1, 'a') });
    streams.of('b').receive({ text: stamped(2, 'b') });
    feed.take();
    const again = streams.of('a'); // asks anew, as after a lost connection
    again.receive({ text: stamped(1, 'a') + stamped(3, 'more') });
    feed.take();
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
