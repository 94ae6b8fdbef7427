import { signal } from '@preact/signals';
import { backoff } from './backoff';
import type { Collection } from './collection';
import type { KubeObject, Reply, Resource, Stream, Streams, WatchRequest } from './protocol';

/** Versions are decimal numbers, too large for a double. */
export function newerVersion(a: string, b: string): string {
  if (a.length !== b.length) return a.length > b.length ? a : b;
  return a > b ? a : b;
}

/**
 * Keeps a collection equal to the server's. After a lost connection it goes on from the last version seen; when
 * the server has forgotten that version (410) it lists again, and the rows stay on the screen meanwhile.
 */
export class Watch<T extends KubeObject> implements Stream {
  /** Why there is no list, in the server's words; empty when all is well. */
  readonly problem = signal('');

  #streams: Streams;
  #resource: Resource;
  #collection: Collection<T>;
  #version = '';
  /** Only a complete list can be gone on from. */
  #synced = false;
  #failures = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(streams: Streams, resource: Resource, collection: Collection<T>) {
    this.#streams = streams;
    this.#resource = resource;
    this.#collection = collection;
  }

  start(): void {
    this.#streams.start(this);
  }

  stop(): void {
    clearTimeout(this.#retry);
    this.#streams.stop(this);
  }

  /** Asks for everything again, for a user who wants to be sure; the rows stay on the screen meanwhile. */
  refresh(): void {
    clearTimeout(this.#retry);
    this.#synced = false;
    this.#streams.restart(this);
  }

  request(): WatchRequest {
    if (!this.#synced || this.#version === '') {
      this.#synced = false;
      this.#version = '';
      this.#collection.beginList();
    }
    return { watch: this.#resource, resourceVersion: this.#version };
  }

  receive({ event, synced, error, end }: Reply): void {
    if (event) {
      // The first objects come in no order of version: keep the greatest.
      this.#version = newerVersion(this.#version, event.object.metadata.resourceVersion ?? '');
      this.#collection.apply(event);
    } else if (synced) {
      this.#synced = true;
      this.#collection.endList();
    } else if (error) {
      this.#failed(error.code, error.message);
      return;
    } else if (end) {
      this.#streams.restart(this);
      return;
    }
    this.#failures = 0;
    this.problem.value = '';
  }

  #failed(code: number, message: string): void {
    this.#synced = false;
    // The first 410 is the ordinary end of an old version. More in a row are a fault, and wait like one.
    const failures = this.#failures++;
    if (code === 410 && failures === 0) {
      this.#streams.restart(this);
      return;
    }
    this.problem.value = message;
    this.#retry = setTimeout(() => this.#streams.restart(this), backoff(failures, Math.random()));
  }
}
