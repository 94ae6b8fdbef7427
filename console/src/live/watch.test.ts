import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Collection } from './collection';
import type { KubeObject, Streams, WatchEvent } from './protocol';
import { newerVersion, Watch } from './watch';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const resource = { group: 'g', version: 'v1', plural: 'jobs', namespace: '' };

function object(name: string, version: string, created = '2026-01-01T00:00:00Z'): KubeObject {
  return {
    metadata: { name, namespace: 'default', resourceVersion: version, creationTimestamp: created },
  };
}

function event(type: WatchEvent['type'], ...what: Parameters<typeof object>) {
  return { event: { type, object: object(...what) } };
}

function setUp() {
  const streams = { start: vi.fn(), stop: vi.fn(), restart: vi.fn() } satisfies Streams;
  const collection: Collection<KubeObject> = new Collection(() => collection.flush());
  const watch = new Watch(streams, resource, collection);
  return { streams, collection, watch };
}

describe('Watch', () => {
  it('shows what exists, newest first, and follows changes', () => {
    const { watch, collection } = setUp();
    expect(watch.request().resourceVersion).toBe('');
    watch.receive(event('ADDED', 'old', '9'));
    watch.receive(event('ADDED', 'new', '10', '2026-01-02T00:00:00Z'));
    expect(collection.loaded.value).toBe(false);
    watch.receive({ synced: true });
    expect(collection.loaded.value).toBe(true);
    expect(collection.keys.value).toEqual(['default/new', 'default/old']);
    watch.receive(event('MODIFIED', 'old', '11'));
    expect(collection.get('default/old')?.metadata.resourceVersion).toBe('11');
    watch.receive(event('DELETED', 'new', '12'));
    expect(collection.keys.value).toEqual(['default/old']);
    expect(collection.get('default/new')).toBeUndefined();
  });

  it('keeps the list of keys when only an object changes', () => {
    const { watch, collection } = setUp();
    watch.request();
    watch.receive(event('ADDED', 'a', '1'));
    const keys = collection.keys.value;
    watch.receive(event('MODIFIED', 'a', '2'));
    expect(collection.keys.value).toBe(keys);
  });

  it('goes on from the greatest version after a lost connection', () => {
    const { watch } = setUp();
    watch.request();
    watch.receive(event('ADDED', 'a', '10'));
    watch.receive(event('ADDED', 'b', '9'));
    watch.receive({ synced: true });
    expect(watch.request().resourceVersion).toBe('10');
    watch.receive(event('BOOKMARK', '', '200'));
    expect(watch.request().resourceVersion).toBe('200');
  });

  it('lists again after a connection that was lost within the first list', () => {
    const { watch } = setUp();
    watch.request();
    watch.receive(event('ADDED', 'a', '10'));
    expect(watch.request().resourceVersion).toBe('');
  });

  it('lists again after 410, and drops what was deleted meanwhile only when the list is complete', () => {
    const { watch, collection, streams } = setUp();
    watch.request();
    watch.receive(event('ADDED', 'gone', '1'));
    watch.receive(event('ADDED', 'stays', '2'));
    watch.receive({ synced: true });
    watch.receive({ error: { code: 410, message: 'too old' } });
    expect(streams.restart).toHaveBeenCalledTimes(1);
    expect(watch.request().resourceVersion).toBe('');
    watch.receive(event('ADDED', 'stays', '2'));
    expect(collection.keys.value).toHaveLength(2);
    watch.receive({ synced: true });
    expect(collection.keys.value).toEqual(['default/stays']);
  });

  it('tells a refusal, waits, and tries again', () => {
    const { watch, streams } = setUp();
    watch.request();
    watch.receive({ error: { code: 403, message: 'forbidden' } });
    expect(watch.problem.value).toBe('forbidden');
    expect(streams.restart).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1000);
    expect(streams.restart).toHaveBeenCalledTimes(1);
    watch.receive({ synced: true });
    expect(watch.problem.value).toBe('');
  });
});

describe('a watch that nobody needs any more', () => {
  it('is not brought back by a try that was planned', () => {
    const { watch, streams } = setUp();
    watch.request();
    watch.receive({ error: { code: 403, message: 'forbidden' } });
    watch.stop();
    vi.advanceTimersByTime(60_000);
    expect(streams.restart).not.toHaveBeenCalled();
  });

  it('lists again when it is refreshed, and keeps what it shows meanwhile', () => {
    const { watch, streams, collection } = setUp();
    watch.request();
    watch.receive(event('ADDED', 'a', '1'));
    watch.receive({ synced: true });
    watch.refresh();
    expect(streams.restart).toHaveBeenCalledTimes(1);
    expect(watch.request().resourceVersion).toBe('');
    expect(collection.keys.value).toEqual(['default/a']);
  });
});

describe('Collection', () => {
  it('counts a flush that brought something, and no other', () => {
    const { watch, collection } = setUp();
    watch.request();
    watch.receive(event('ADDED', 'a', '1'));
    const changes = collection.changes.value;
    collection.flush();
    expect(collection.changes.value).toBe(changes);
    watch.receive(event('MODIFIED', 'a', '2'));
    expect(collection.changes.value).toBe(changes + 1);
    expect(collection.all().map(({ metadata }) => metadata.resourceVersion)).toEqual(['2']);
  });

  it('shows again what was deleted and came back', () => {
    const { watch, collection } = setUp();
    watch.request();
    watch.receive(event('ADDED', 'a', '1'));
    watch.receive(event('DELETED', 'a', '2'));
    watch.receive(event('ADDED', 'a', '3'));
    expect(collection.get('default/a')?.metadata.resourceVersion).toBe('3');
    expect(collection.keys.value).toEqual(['default/a']);
  });
});

describe('newerVersion', () => {
  it('compares numbers of any size', () => {
    expect(newerVersion('9', '10')).toBe('10');
    expect(newerVersion('', '1')).toBe('1');
    expect(newerVersion('18446744073709551615', '18446744073709551614')).toBe(
      '18446744073709551615',
    );
  });
});
