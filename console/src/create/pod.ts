// What the form reads and writes of a replica type's pods.
import type { Document } from 'yaml';
import type { Path } from '../editor/field_path';
import { getIn, listAt, mapAt, put, putScalar, removeIn, setIn, textAt } from './document';

export function replicaPath(index: number): Path {
  return ['spec', 'replicaSpecs', index];
}

export function podPath(index: number): Path {
  return [...replicaPath(index), 'template', 'spec'];
}

/** The container that the training runs in: by its name, otherwise the first. */
export function containerPath(value: unknown, index: number, name: string): Path {
  const containers = listAt(value, [...podPath(index), 'containers']);
  const named = containers.findIndex((each) => {
    const found = getIn(each, ['name']);
    return found === name || found === 'python';
  });
  return [...podPath(index), 'containers', Math.max(0, named)];
}

export type EnvSource = 'value' | 'secretKeyRef' | 'configMapKeyRef' | 'fieldRef' | 'other';

export interface EnvEntry {
  name: string;
  source: EnvSource;
  /** The value itself, or the path of the pod's field. */
  value: string;
  /** The Secret or ConfigMap, and the key in it. */
  object: string;
  key: string;
}

const references = ['secretKeyRef', 'configMapKeyRef', 'fieldRef'] as const;

export function envOf(value: unknown, container: Path): EnvEntry[] {
  return listAt(value, [...container, 'env']).map((entry) => {
    const from = mapAt(entry, ['valueFrom']);
    const source = references.find((each) => each in from);
    const other = Object.keys(from).length > 0 && !source;
    return {
      name: textAt(entry, ['name']),
      source: other ? 'other' : (source ?? 'value'),
      value: textAt(entry, source ? ['valueFrom', 'fieldRef', 'fieldPath'] : ['value']),
      object: textAt(entry, ['valueFrom', source ?? '', 'name']),
      key: textAt(entry, ['valueFrom', source ?? '', 'key']),
    };
  });
}

/** The fields of an entry besides its name. */
export function envFields({ source, value, object, key }: Omit<EnvEntry, 'name'>): object {
  if (source === 'value') return { value };
  if (source === 'fieldRef') return { valueFrom: { fieldRef: { fieldPath: value } } };
  return { valueFrom: { [source]: { name: object, key } } };
}

export function writeEnv(document: Document, container: Path, index: number, entry: EnvEntry) {
  const path = [...container, 'env', index];
  putScalar(document, [...path, 'name'], entry.name || undefined);
  if (entry.source === 'other') return;
  removeIn(document, [...path, 'valueFrom']);
  const fields = envFields(entry) as Record<string, unknown>;
  if (!('value' in fields)) removeIn(document, [...path, 'value']);
  for (const [key, each] of Object.entries(fields)) {
    // An empty value is a value.
    if (key === 'value') setIn(document, [...path, key], each);
    else put(document, [...path, key], each);
  }
  if (!entry.name) setIn(document, [...path, 'name'], '');
}

export const volumeTypes = {
  persistentVolumeClaim: 'PersistentVolumeClaim',
  configMap: 'ConfigMap',
  secret: 'Secret',
  emptyDir: 'EmptyDir',
} as const;
export type VolumeType = keyof typeof volumeTypes;

/** Where the kind of a volume says which object it is. */
export const objectFields: Record<VolumeType, string | undefined> = {
  persistentVolumeClaim: 'claimName',
  configMap: 'name',
  secret: 'secretName',
  emptyDir: undefined,
};

export interface Mount {
  /** Its place among the container's mounts, and that of its volume among the pod's; -1: there is none. */
  mount: number;
  volume: number;
  name: string;
  path: string;
  subPath: string;
  readOnly: boolean;
  /** Undefined: a kind that the form does not know. */
  type: VolumeType | undefined;
  object: string;
  medium: string;
}

export function mountsOf(value: unknown, pod: Path, container: Path): Mount[] {
  const volumes = listAt(value, [...pod, 'volumes']);
  return listAt(value, [...container, 'volumeMounts']).map((each, mount) => {
    const name = textAt(each, ['name']);
    const volume = volumes.findIndex((one) => textAt(one, ['name']) === name);
    const made = mapAt(volumes, [volume]);
    const type = (Object.keys(volumeTypes) as VolumeType[]).find((known) => known in made);
    return {
      mount,
      volume,
      name,
      path: textAt(each, ['mountPath']),
      subPath: textAt(each, ['subPath']),
      readOnly: getIn(each, ['readOnly']) === true,
      type,
      object: type ? textAt(made, [type, objectFields[type] ?? '']) : '',
      medium: type === 'emptyDir' ? textAt(made, ['emptyDir', 'medium']) : '',
    };
  });
}

const sharedMemory = '/dev/shm';

export function isSharedMemory({ path, type, medium }: Mount): boolean {
  return path.replace(/\/$/, '') === sharedMemory && type === 'emptyDir' && medium === 'Memory';
}

/** A name that no volume of the pod has yet. */
export function freeVolumeName(value: unknown, pod: Path, wanted: string): string {
  const taken = listAt(value, [...pod, 'volumes']).map((each) => textAt(each, ['name']));
  for (let number = 1; ; number++) {
    const name = number === 1 ? wanted : `${wanted}-${number}`;
    if (!taken.includes(name)) return name;
  }
}

export function addMount(
  document: Document,
  value: unknown,
  pod: Path,
  container: Path,
  made: { name: string; source: object; path: string },
): void {
  const mounts = listAt(value, [...container, 'volumeMounts']).length;
  const volumes = listAt(value, [...pod, 'volumes']).length;
  const { name, source, path } = made;
  setIn(document, [...container, 'volumeMounts', mounts], { name, mountPath: path });
  setIn(document, [...pod, 'volumes', volumes], { name, ...source });
}

/** The volume goes too, unless another mount of the pod needs it. */
export function removeMount(document: Document, value: unknown, pod: Path, at: Path, gone: Mount) {
  const users = ['containers', 'initContainers'].flatMap((list) =>
    listAt(value, [...pod, list]).flatMap((each) => listAt(each, ['volumeMounts'])),
  );
  const others = users.filter((each) => textAt(each, ['name']) === gone.name).length - 1;
  removeIn(document, [...at, 'volumeMounts', gone.mount]);
  if (others === 0 && gone.volume >= 0) removeIn(document, [...pod, 'volumes', gone.volume]);
}

/** Renames a volume and every mount of it in the pod. */
export function renameVolume(
  document: Document,
  value: unknown,
  pod: Path,
  gone: Mount,
  name: string,
) {
  if (gone.volume >= 0) setIn(document, [...pod, 'volumes', gone.volume, 'name'], name);
  for (const list of ['containers', 'initContainers']) {
    listAt(value, [...pod, list]).forEach((each, container) => {
      listAt(each, ['volumeMounts']).forEach((mount, index) => {
        if (textAt(mount, ['name']) !== gone.name) return;
        setIn(document, [...pod, list, container, 'volumeMounts', index, 'name'], name);
      });
    });
  }
}

export function setSharedMemory(
  document: Document,
  value: unknown,
  pod: Path,
  container: Path,
  on: boolean,
): void {
  const there = mountsOf(value, pod, container).find(isSharedMemory);
  if (on && !there) {
    const name = freeVolumeName(value, pod, 'shm');
    const source = { emptyDir: { medium: 'Memory' } };
    addMount(document, value, pod, container, { name, source, path: sharedMemory });
  } else if (!on && there) {
    removeMount(document, value, pod, container, there);
  }
}
