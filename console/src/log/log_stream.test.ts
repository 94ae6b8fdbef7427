import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Streams } from '../live/protocol';
import { LineBuffer } from './lines';
import { LogStream } from './log_stream';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp(phase: string) {
  const pod = { phase };
  const place = {
    namespace: 'default',
    pod: 'job-node-0',
    uid: 'u1',
    container: 'pytorch',
    previous: false,
  };
  const buffer = new LineBuffer(0);
  const streams = { start: vi.fn(), stop: vi.fn(), restart: vi.fn() } satisfies Streams;
  const stream = new LogStream(
    streams,
    place,
    100,
    () => pod.phase,
    buffer,
    () => {},
  );
  streams.restart.mockImplementation(() => stream.request());
  stream.request();
  return { pod, buffer, streams, stream };
}

const notYet = { error: { code: 400, message: 'container "pytorch" is waiting to start' } };

describe('LogStream', () => {
  it('asks again each second while the pod waits to start', () => {
    const { stream, streams } = setUp('Pending');
    stream.receive(notYet);
    expect(stream.state.value.kind).toBe('waiting');
    vi.advanceTimersByTime(1000);
    expect(streams.restart).toHaveBeenCalledTimes(1);
    stream.receive({ text: 'hello\n' });
    vi.advanceTimersByTime(60_000);
    expect(streams.restart).toHaveBeenCalledTimes(1);
  });

  it('takes the answer about an ended pod as final', () => {
    const { stream, streams } = setUp('Failed');
    stream.receive(notYet);
    expect(stream.state.value.kind).toBe('failed');
    vi.advanceTimersByTime(60_000);
    expect(streams.restart).not.toHaveBeenCalled();
  });

  it('goes on after a lost connection at the line where it was', () => {
    const { stream, buffer } = setUp('Running');
    stream.receive({ from: 901, kept: 1, last: 902 });
    stream.receive({ text: 'one\ntwo\nbeg' });
    buffer.take();
    expect(stream.request().log).toMatchObject({ fromLine: 903, tailLines: 100 });
    stream.receive({ from: 903, kept: 1, last: 903 });
    stream.receive({ text: 'begun\n' });
    expect(buffer.take()).toMatchObject({
      cleared: false,
      added: [{ text: 'begun', number: 903 }],
    });
  });

  it('replaces the text when the log is another, and not before that is there', () => {
    const { stream, buffer } = setUp('Running');
    stream.receive({ from: 1, kept: 1, last: 1 });
    stream.receive({ text: 'one\n' });
    stream.receive({ end: true });
    buffer.take();
    vi.advanceTimersByTime(2000);
    expect(buffer.take().cleared).toBe(false);
    stream.receive({ from: 1, kept: 1, last: 1 });
    stream.receive({ text: 'other\n' });
    expect(buffer.take()).toMatchObject({ cleared: true, added: [{ text: 'other', number: 1 }] });
  });

  it('begins at the end of another run', () => {
    const { stream, streams } = setUp('Running');
    stream.receive({ from: 1, kept: 1, last: 1 });
    stream.receive({ text: 'one\n' });
    stream.receive({ end: true });
    vi.advanceTimersByTime(2000);
    expect(streams.restart).toHaveBeenCalledTimes(1);
    expect(streams.restart.mock.results[0]?.value.log.fromLine).toBe(0);
  });

  it('follows the next container of a pod that lives on, and rests when the pod has ended', () => {
    const { stream, streams, pod } = setUp('Running');
    stream.receive({ end: true });
    vi.advanceTimersByTime(2000);
    expect(streams.restart).toHaveBeenCalledTimes(1);
    stream.receive({ end: true });
    pod.phase = 'Succeeded';
    vi.advanceTimersByTime(60_000);
    expect(streams.restart).toHaveBeenCalledTimes(1);
  });
});
