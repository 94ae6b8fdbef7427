// What the plain lists read of their kinds: a status in one word and a few columns. No screen in here.
import type { ListPage } from '../kinds';
import type { KubeObject } from '../live/protocol';
import { bytes, cores, parseQuantity } from '../quantity';
import type { Words } from '../words/en';

export interface ContainerStatus {
  name: string;
  ready?: boolean;
  restartCount?: number;
  state?: {
    waiting?: { reason?: string; message?: string };
    terminated?: { reason?: string; exitCode?: number; message?: string };
  };
}

/** The few fields of all these kinds together; each has some of them. */
export interface AnyObject extends KubeObject {
  type?: string;
  data?: Record<string, unknown>;
  binaryData?: Record<string, unknown>;
  spec?: {
    nodeName?: string;
    storageClassName?: string;
    accessModes?: string[];
    resources?: { requests?: Record<string, string> };
    unschedulable?: boolean;
    weight?: number;
    suspend?: boolean;
  };
  status?: {
    phase?: string;
    state?: string;
    reason?: string;
    url?: string;
    running?: number;
    pending?: number;
    capacity?: Record<string, string>;
    conditions?: { type: string; status: string }[];
    containerStatuses?: ContainerStatus[];
  };
}

function isReady({ status }: AnyObject): boolean {
  return (status?.conditions ?? []).some((each) => each.type === 'Ready' && each.status === 'True');
}

/** Undefined for kinds that have none: a Secret simply is there. */
export function statusOf(page: ListPage, object: AnyObject): string | undefined {
  if (object.metadata.deletionTimestamp) return 'Terminating';
  const { status } = object;
  switch (page) {
    case 'nodes':
      return isReady(object) ? 'Ready' : 'NotReady';
    case 'queues':
      return status?.state ?? 'Unknown';
    case 'secrets':
    case 'configmaps':
      return undefined;
    default:
      return status?.phase || 'Pending';
  }
}

/** Only of one that runs, and only an address of the web: an object's words must not become a script. */
export function appAddress({ status }: AnyObject): string | undefined {
  const url = status?.url ?? '';
  return status?.phase === 'Running' && /^https?:\/\//.test(url) ? url : undefined;
}

/** What keeps a pod from running, where its containers say it. */
export function podTrouble({ status }: AnyObject): string | undefined {
  const states = (status?.containerStatuses ?? []).map(({ state }) => state);
  const ended = states.find((state) => state?.terminated && state.terminated.exitCode !== 0);
  return (
    ended?.terminated?.reason ??
    states.find((state) => state?.waiting?.reason)?.waiting?.reason ??
    status?.reason
  );
}

export interface Column {
  title: (t: Words) => string;
  text: (object: AnyObject) => string;
}

const count = (...maps: (Record<string, unknown> | undefined)[]) =>
  String(maps.reduce((sum, map) => sum + Object.keys(map ?? {}).length, 0));

const amount = (text: string | undefined, spell: (value: number) => string) => {
  const value = parseQuantity(text);
  return value === undefined ? '-' : spell(value);
};

const capacity = (name: string, spell: (value: number) => string) => (object: AnyObject) =>
  amount(object.status?.capacity?.[name], spell);

const containers = ({ status }: AnyObject) => status?.containerStatuses ?? [];

export const columns: Record<ListPage, readonly Column[]> = {
  volumes: [
    { title: (t) => t.storageClass, text: ({ spec }) => spec?.storageClassName || '-' },
    { title: (t) => t.accessModes, text: ({ spec }) => spec?.accessModes?.join(', ') || '-' },
    {
      title: (t) => t.size,
      text: ({ spec, status }) =>
        amount(status?.capacity?.storage ?? spec?.resources?.requests?.storage, bytes),
    },
  ],
  notebooks: [],
  tensorboards: [],
  pods: [
    {
      title: (t) => t.ready,
      text: (pod) =>
        `${containers(pod).filter(({ ready }) => ready).length} / ${containers(pod).length}`,
    },
    { title: (t) => t.reason, text: (pod) => podTrouble(pod) ?? '-' },
    {
      title: (t) => t.restarts,
      text: (pod) =>
        String(containers(pod).reduce((sum, { restartCount = 0 }) => sum + restartCount, 0)),
    },
    { title: (t) => t.node, text: ({ spec }) => spec?.nodeName || '-' },
  ],
  secrets: [
    { title: (t) => t.type, text: ({ type }) => type ?? '-' },
    { title: (t) => t.entries, text: ({ data }) => count(data) },
  ],
  configmaps: [
    { title: (t) => t.entries, text: ({ data, binaryData }) => count(data, binaryData) },
  ],
  queues: [
    { title: (t) => t.weight, text: ({ spec }) => String(spec?.weight ?? '-') },
    { title: () => 'Running', text: ({ status }) => String(status?.running ?? 0) },
    { title: () => 'Pending', text: ({ status }) => String(status?.pending ?? 0) },
  ],
  nodes: [
    { title: (t) => t.cpu, text: capacity('cpu', cores) },
    { title: (t) => t.memory, text: capacity('memory', bytes) },
    {
      title: () => 'nvidia.com/gpu',
      text: ({ status }) => status?.capacity?.['nvidia.com/gpu'] ?? '-',
    },
  ],
};
