// What there is to choose from in the project: claims, Secrets, ConfigMaps, queues.
import { project } from '../frame/project';
import { type Kind, listKinds, resourceOf } from '../kinds';
import { useLiveOne } from '../live/pool';

/** The names of the project's objects of the kind, as they come and go. */
export function useNames(kind: Kind, namespace: string): string[] {
  const { collection } = useLiveOne(resourceOf(kind, namespace || project.value));
  return [...collection.keys.value].map((key) => key.slice(key.indexOf('/') + 1)).sort();
}

export function useClaims(namespace: string): string[] {
  return useNames(listKinds.volumes, namespace);
}

export function useQueues(): string[] {
  return useNames(listKinds.queues, '');
}
