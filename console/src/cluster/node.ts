// What is read of nodes and of the pods on them. No screen in here.
import type { Condition } from '../jobs/job';
import type { KubeObject } from '../live/protocol';
import { type Amounts, addContainers, isExtended, parseQuantity } from '../quantity';

export interface Taint {
  key: string;
  value?: string;
  effect: string;
}

export interface Node extends KubeObject {
  spec?: { unschedulable?: boolean; taints?: Taint[] };
  status?: {
    capacity?: Record<string, string>;
    allocatable?: Record<string, string>;
    conditions?: Condition[];
    addresses?: { type: string; address: string }[];
    nodeInfo?: Record<string, string>;
  };
}

export interface PlacedPod extends KubeObject {
  spec?: { nodeName?: string; containers?: Parameters<typeof addContainers>[1] };
  status?: { phase?: string };
}

const roleLabel = 'node-role.kubernetes.io/';

export function rolesOf({ metadata }: Node): string[] {
  return Object.keys(metadata.labels ?? {})
    .filter((label) => label.startsWith(roleLabel))
    .map((label) => label.slice(roleLabel.length))
    .filter((role) => role !== '')
    .sort();
}

/** As kubectl says it: `Ready`, `NotReady`, and whether it takes new pods. */
export function statusOf({ spec, status }: Node): string {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  const word = ready === 'True' ? 'Ready' : ready === 'False' ? 'NotReady' : 'Unknown';
  return spec?.unschedulable ? `${word},SchedulingDisabled` : word;
}

/** The look of its status: the first word tells it. */
export function phaseOf(node: Node): string {
  return statusOf(node).split(',')[0] ?? '';
}

/** The pods that take something of it: those that have not ended. */
export function podsOn(node: Node, pods: readonly PlacedPod[]): PlacedPod[] {
  return pods.filter(
    ({ spec, status }) =>
      spec?.nodeName === node.metadata.name &&
      status?.phase !== 'Succeeded' &&
      status?.phase !== 'Failed',
  );
}

export interface Share {
  resource: string;
  requested: number;
  allocatable: number;
}

/** How much of what it can give is asked for: CPU, memory, pods, and what is extended. */
export function sharesOf(node: Node, pods: readonly PlacedPod[]): Share[] {
  const own = podsOn(node, pods);
  const sum: Amounts = new Map();
  for (const pod of own) addContainers(sum, pod.spec?.containers, 1);
  const allocatable = node.status?.allocatable ?? {};
  const names = ['cpu', 'memory', ...Object.keys(allocatable).filter(isExtended).sort(), 'pods'];
  return names.flatMap((resource) => {
    const most = parseQuantity(allocatable[resource]);
    if (most === undefined) return [];
    const requested = resource === 'pods' ? own.length : (sum.get(resource)?.request ?? 0);
    return [{ resource, requested, allocatable: most }];
  });
}

export function taintText({ key, value, effect }: Taint): string {
  return `${key}${value ? `=${value}` : ''}:${effect}`;
}
