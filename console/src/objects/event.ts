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

/** For an order by time: events of one second come in the order in which the server has written them. */
export function timeKey(at: string, { metadata }: KubeEvent): string {
  const time = String(Date.parse(at) || 0).padStart(15, '0');
  return `${time} ${(metadata.resourceVersion ?? '').padStart(20, '0')}`;
}

/** Events about any of these objects. */
export function eventsAbout(events: readonly KubeEvent[], uids: ReadonlySet<string>): KubeEvent[] {
  return events.filter(({ involvedObject }) => uids.has(involvedObject?.uid ?? ''));
}
