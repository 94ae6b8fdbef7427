// The messages on /ws. One socket a tab carries every live view; `id` tells them apart.

export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata: {
    name: string;
    namespace?: string;
    uid?: string;
    resourceVersion?: string;
    creationTimestamp?: string;
    deletionTimestamp?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    ownerReferences?: { uid: string; kind?: string; name?: string; apiVersion?: string }[];
  };
}

export interface Resource {
  group: string;
  version: string;
  plural: string;
  /** Empty: all namespaces. */
  namespace: string;
}

export interface WatchRequest {
  watch: Resource;
  /** Empty: begin with an ADDED for everything that exists, then `synced`. */
  resourceVersion: string;
}

export interface LogRequest {
  log: {
    namespace: string;
    pod: string;
    container: string;
    /** From that line on; 0, or one that the log does not have: so many before its end. */
    fromLine: number;
    tailLines: number;
    /** The very pod, though it may be gone or replaced under its name; empty: whichever has the name. */
    uid: string;
    previous: boolean;
    timestamps: true;
  };
}

export type Request = WatchRequest | LogRequest;

export interface WatchEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  object: KubeObject;
}

/** Exactly one of the optional fields is set. */
export interface Reply {
  event?: WatchEvent;
  synced?: true;
  text?: string;
  /** Before the text of a log: the number of its first line, the first that is kept and the last that is there. */
  from?: number;
  kept?: number;
  last?: number;
  end?: true;
  error?: { code: number; message: string };
}

/** One live view. It outlives the socket: after a loss it is asked for its request again. */
export interface Stream {
  request(): Request;
  receive(reply: Reply): void;
}

/** What a stream needs of the connection. */
export interface Streams {
  start(stream: Stream): void;
  stop(stream: Stream): void;
  /** Begins anew with a fresh request. Late replies to the old one are dropped. */
  restart(stream: Stream): void;
}
