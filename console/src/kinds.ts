// The kinds of the API that the console knows, and how they are asked for. No screen in here.
import type { Resource } from './live/protocol';

export interface Kind {
  group: string;
  version: string;
  plural: string;
  kind: string;
  /** Undefined: every project has its own. */
  cluster?: true;
}

const t9k = { group: 'batch.tensorstack.dev', version: 'v1beta1' };

/** In the order in which menus offer them. */
export const jobKinds: readonly Kind[] = [
  { ...t9k, plural: 'pytorchtrainingjobs', kind: 'PyTorchTrainingJob' },
  { ...t9k, plural: 'tensorflowtrainingjobs', kind: 'TensorFlowTrainingJob' },
  { ...t9k, plural: 'xgboosttrainingjobs', kind: 'XGBoostTrainingJob' },
  { ...t9k, plural: 'mpijobs', kind: 'MPIJob' },
  { ...t9k, plural: 'genericjobs', kind: 'GenericJob' },
  { group: 'kubeflow.org', version: 'v1', plural: 'pytorchjobs', kind: 'PyTorchJob' },
  { group: 'kubeflow.org', version: 'v1', plural: 'tfjobs', kind: 'TFJob' },
  { group: 'kubeflow.org', version: 'v2beta1', plural: 'mpijobs', kind: 'MPIJob' },
];

/** The kinds that have a form, in the order in which the menu offers them. */
export const creatableJobs = [
  'PyTorchTrainingJob',
  'TensorFlowTrainingJob',
  'XGBoostTrainingJob',
  'MPIJob',
  'GenericJob',
] as const;
export type CreatableJob = (typeof creatableJobs)[number];

/** Of jobs of this apiVersion: another family has an MPIJob, too, which has no form. */
export const creatableVersion = `${t9k.group}/${t9k.version}`;

const core = { group: '', version: 'v1' };
const scheduling = { group: 'scheduling.volcano.sh', version: 'v1beta1' };
const apps = { group: 'tensorstack.dev', version: 'v1beta1' };

/** Those that have a page of their own, by the page's name in the address. */
export const listKinds = {
  volumes: { ...core, plural: 'persistentvolumeclaims', kind: 'PersistentVolumeClaim' },
  notebooks: { ...apps, plural: 'notebooks', kind: 'Notebook' },
  tensorboards: { ...apps, plural: 'tensorboards', kind: 'TensorBoard' },
  pods: { ...core, plural: 'pods', kind: 'Pod' },
  secrets: { ...core, plural: 'secrets', kind: 'Secret' },
  configmaps: { ...core, plural: 'configmaps', kind: 'ConfigMap' },
  queues: { ...scheduling, plural: 'queues', kind: 'Queue', cluster: true },
  nodes: { ...core, plural: 'nodes', kind: 'Node', cluster: true },
} as const satisfies Record<string, Kind>;

export type ListPage = keyof typeof listKinds;

export function isListPage(name: string): name is ListPage {
  return Object.hasOwn(listKinds, name);
}

export const namespaceKind: Kind = {
  ...core,
  plural: 'namespaces',
  kind: 'Namespace',
  cluster: true,
};
export const eventKind: Kind = { ...core, plural: 'events', kind: 'Event' };

export function resourceOf({ group, version, plural, cluster }: Kind, project: string): Resource {
  return { group, version, plural, namespace: cluster ? '' : project };
}

/** The kind's name in addresses, as kubectl spells it in full: two kinds are called MPIJob. */
export function kindId({ plural, group }: { plural: string; group: string }): string {
  return `${plural}.${group}`;
}

/** Where the API has all of that kind in a project. */
export function collectionPath(kind: Kind, namespace: string): string {
  const root = kind.group ? `/apis/${kind.group}/${kind.version}` : `/api/${kind.version}`;
  const place = kind.cluster ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${place}/${kind.plural}`;
}

/** Where the API has an object of that kind. */
export function objectPath(kind: Kind, namespace: string, name: string): string {
  return `${collectionPath(kind, namespace)}/${encodeURIComponent(name)}`;
}
