// What must be filled in before a form is sent.
import { fieldPathText, type Path } from '../editor/field_path';
import type { CreatableJob } from '../kinds';
import { getIn, has, listAt, mapAt, textAt } from './document';
import {
  containerPath,
  envOf,
  isSharedMemory,
  mountsOf,
  objectFields,
  podPath,
  replicaPath,
} from './pod';
import { containerName } from './starts';

/** Whether the replica type may be left empty: the launcher is made from the worker's image. */
export function isOptional(kind: CreatableJob, type: string): boolean {
  return kind === 'MPIJob' && type === 'launcher';
}

function missingInPod(kind: CreatableJob, value: unknown, index: number): Path[] {
  const type = textAt(value, [...replicaPath(index), 'type']);
  const pod = podPath(index);
  const container = containerPath(value, index, containerName(kind, type));
  const missing: Path[] = [];
  if (!isOptional(kind, type)) {
    for (const field of [
      ['image'],
      ['resources', 'limits', 'cpu'],
      ['resources', 'limits', 'memory'],
    ]) {
      if (textAt(value, [...container, ...field]) === '') missing.push([...container, ...field]);
    }
  }
  missing.push(...missingInContainer(value, pod, container));
  return missing;
}

/** What entries of lists lack that somebody has begun. */
export function missingInContainer(value: unknown, pod: Path, container: Path): Path[] {
  const missing: Path[] = [];
  envOf(value, container).forEach(({ name, source, object, key }, entry) => {
    const at = [...container, 'env', entry];
    if (name === '') missing.push([...at, 'name']);
    if (source !== 'secretKeyRef' && source !== 'configMapKeyRef') return;
    if (object === '') missing.push([...at, 'valueFrom', source, 'name']);
    if (key === '') missing.push([...at, 'valueFrom', source, 'key']);
  });
  for (const mount of mountsOf(value, pod, container)) {
    if (isSharedMemory(mount) || !mount.type) continue;
    const at = [...container, 'volumeMounts', mount.mount];
    if (mount.path === '') missing.push([...at, 'mountPath']);
    if (mount.name === '') missing.push([...at, 'name']);
    const field = objectFields[mount.type];
    if (field && mount.object === '') {
      missing.push([...pod, 'volumes', mount.volume, mount.type, field]);
    }
  }
  return missing;
}

function missingInBasics(value: unknown): Path[] {
  const missing: Path[] = [];
  const need = (path: Path) => {
    if (textAt(value, path) === '') missing.push(path);
  };
  if (!has(value, ['metadata', 'generateName'])) need(['metadata', 'name']);
  if (has(value, ['spec', 'scheduler', 't9kScheduler'])) {
    need(['spec', 'scheduler', 't9kScheduler', 'priority']);
  }
  if (has(value, ['spec', 'tensorboardSpec'])) {
    need(['spec', 'tensorboardSpec', 'image']);
    const { logDir, trainingLogFilesets } = mapAt(value, ['spec', 'tensorboardSpec']);
    const elsewhere = trainingLogFilesets || getIn(logDir, ['s3']) || getIn(logDir, ['http']);
    if (!elsewhere) need(['spec', 'tensorboardSpec', 'logDir', 'pvc', 0, 'name']);
  }
  listAt(value, ['spec', 'service', 'ports']).forEach((_, index) => {
    need(['spec', 'service', 'ports', index, 'port']);
  });
  return missing;
}

/** The required fields that are empty, by their paths as the server spells them. */
export function missingFields(kind: CreatableJob, value: unknown): string[] {
  const missing = missingInBasics(value);
  listAt(value, ['spec', 'replicaSpecs']).forEach((_, index) => {
    const type = [...replicaPath(index), 'type'];
    if (textAt(value, type) === '') missing.push(type);
    missing.push(...missingInPod(kind, value, index));
  });
  return missing.map(fieldPathText);
}
