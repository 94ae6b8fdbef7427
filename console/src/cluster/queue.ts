// What is read of queues and of the groups in them. No screen in here.
import type { Condition } from '../jobs/job';
import type { KubeObject } from '../live/protocol';

export interface Queue extends KubeObject {
  spec?: {
    weight?: number;
    priority?: number;
    parent?: string;
    reclaimable?: boolean;
    capability?: Record<string, string | number>;
    deserved?: Record<string, string | number>;
    guarantee?: { resource?: Record<string, string | number> };
  };
  status?: { state?: string; conditions?: Condition[] };
}

export interface PodGroup extends KubeObject {
  spec?: { queue?: string; minMember?: number };
  status?: { phase?: string };
}

/** A queue that nobody has closed is open. */
export function stateOf({ metadata, status }: Queue): string {
  return metadata.deletionTimestamp ? 'Terminating' : status?.state || 'Open';
}

export function groupsIn(queue: Queue, groups: readonly PodGroup[]): PodGroup[] {
  return groups.filter(({ spec }) => (spec?.queue || 'default') === queue.metadata.name);
}

/** How many run, and how many wait to. */
export function countsOf(groups: readonly PodGroup[]): { running: number; pending: number } {
  const phases = groups.map(({ status }) => status?.phase ?? 'Pending');
  return {
    running: phases.filter((phase) => phase === 'Running').length,
    pending: phases.filter((phase) => phase === 'Pending' || phase === 'Inqueue').length,
  };
}

/** `cpu: 64, nvidia.com/gpu: 8`. */
export function amountsText(amounts: Record<string, string | number> | undefined): string {
  const parts = Object.entries(amounts ?? {}).map(([name, amount]) => `${name}: ${amount}`);
  return parts.join(', ') || '-';
}
