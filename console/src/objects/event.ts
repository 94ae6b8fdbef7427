import type { KubeObject } from '../live/protocol';

export interface KubeEvent extends KubeObject {
  type?: string;
  reason?: string;
  message?: string;
  count?: number;
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  eventTime?: string | null;
  involvedObject?: { kind?: string; name?: string; uid?: string };
}

export function firstSeen(event: KubeEvent): string {
  return event.firstTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? '';
}

export function lastSeen(event: KubeEvent): string {
  return event.lastTimestamp ?? firstSeen(event);
}

export function latestFirst(events: readonly KubeEvent[]): KubeEvent[] {
  const time = (event: KubeEvent) => Date.parse(lastSeen(event)) || 0;
  return [...events].sort((a, b) => time(b) - time(a));
}

/** Events about any of these objects. */
export function eventsAbout(events: readonly KubeEvent[], uids: ReadonlySet<string>): KubeEvent[] {
  return latestFirst(events.filter(({ involvedObject }) => uids.has(involvedObject?.uid ?? '')));
}
