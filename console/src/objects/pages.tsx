// Which pages show a kind. They are loaded when they are first shown.
import type { ComponentType } from 'preact';
import type { ListPage } from '../kinds';
import type { Route } from '../route';
import { later } from '../ui/later';

export type ObjectRoute = Extract<Route, { page: 'object' }>;

interface Pages {
  list: ComponentType;
  /** Undefined for kinds that are not made here. */
  make?: ComponentType;
  /** Its address is its `key`, so that nothing leaks into another object. */
  details: ComponentType<{ at: ObjectRoute }>;
}

const AppDetails = later(async () => (await import('../apps/app_details')).AppDetails);

const ConfigDetails = later(async () => (await import('../config/config_details')).ConfigDetails);

const pages: Record<ListPage, Pages> = {
  notebooks: {
    list: later(async () => (await import('../apps/notebook_list')).NotebookList),
    make: later(async () => (await import('../apps/make_notebook')).MakeNotebook),
    details: AppDetails,
  },
  tensorboards: {
    list: later(async () => (await import('../apps/tensorboard_list')).TensorBoardList),
    make: later(async () => (await import('../apps/make_tensorboard')).MakeTensorBoard),
    details: AppDetails,
  },
  pods: {
    list: later(async () => (await import('../pods/pod_list')).PodList),
    make: later(async () => (await import('../pods/make_pod')).MakePod),
    details: later(async () => (await import('../pods/pod_details')).PodDetails),
  },
  volumes: {
    list: later(async () => (await import('../volumes/volume_list')).VolumeList),
    make: later(async () => (await import('../volumes/volume_form')).VolumeForm),
    details: later(async () => (await import('../volumes/volume_details')).VolumeDetails),
  },
  secrets: {
    list: later(async () => (await import('../config/config_list')).SecretList),
    make: later(async () => (await import('../config/config_forms')).NewSecret),
    details: ConfigDetails,
  },
  configmaps: {
    list: later(async () => (await import('../config/config_list')).ConfigMapList),
    make: later(async () => (await import('../config/config_forms')).NewConfigMap),
    details: ConfigDetails,
  },
  queues: {
    list: later(async () => (await import('../cluster/queue_list')).QueueList),
    details: later(async () => (await import('../cluster/queue_details')).QueueDetails),
  },
  nodes: {
    list: later(async () => (await import('../cluster/node_list')).NodeList),
    details: later(async () => (await import('../cluster/node_details')).NodeDetails),
  },
};

export function pageOfList(list: ListPage): ComponentType {
  return pages[list].list;
}

/** The list for a kind that is not made here. */
export function pageOfMaking(list: ListPage): ComponentType {
  return pages[list].make ?? pages[list].list;
}

export function pageOfObject(list: ListPage): ComponentType<{ at: ObjectRoute }> {
  return pages[list].details;
}
