// Which fields of a manifest the form shows. The others stay as they are, and the form names them.
import { fieldPathText, type Path } from '../editor/field_path';
import type { CreatableJob } from '../kinds';
import { getIn, listAt, mapAt } from './document';
import { containerPath, envOf, mountsOf, podPath } from './pod';
import { containerName, countsRestarts, hasCommand } from './starts';

type Leaf = 'text' | 'number' | 'switch' | 'texts' | 'texts by name';
/** What is shown below a field; list entries by their index. */
interface Shown {
  [name: string]: Shown | Leaf;
}

const fits: Record<Leaf, (value: unknown) => boolean> = {
  text: (value) => typeof value === 'string' || typeof value === 'number',
  number: (value) => typeof value === 'number',
  switch: (value) => typeof value === 'boolean',
  texts: (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
  'texts by name': (value) =>
    value !== null &&
    typeof value === 'object' &&
    Object.values(value).every((each) => typeof each === 'string'),
};

function everyEntry(
  list: readonly unknown[],
  shown: (each: unknown, index: number) => Shown,
): Shown {
  return Object.fromEntries(list.map((each, index) => [String(index), shown(each, index)]));
}

const scheduler: Shown = { t9kScheduler: { queue: 'text', priority: 'number' } };
const amounts: Shown = { cpu: 'text', memory: 'text' };

/** The one extended resource that the form has a field for. */
export function gpuOf(value: unknown, container: Path): string {
  const names = ['limits', 'requests'].flatMap((each) =>
    Object.keys(mapAt(value, [...container, 'resources', each])),
  );
  return names.find((name) => name.includes('/')) ?? '';
}

function envShown(value: unknown, container: Path): Shown {
  return everyEntry(envOf(value, container), (each) => {
    const { source } = each as { source: string };
    if (source === 'other') return { name: 'text' };
    if (source === 'value') return { name: 'text', value: 'text' };
    const from: Shown =
      source === 'fieldRef' ? { fieldPath: 'text' } : { name: 'text', key: 'text' };
    return { name: 'text', valueFrom: { [source]: from } };
  });
}

const volumeShown: Record<string, Shown> = {
  persistentVolumeClaim: { claimName: 'text' },
  configMap: { name: 'text' },
  secret: { secretName: 'text' },
  emptyDir: { medium: 'text', sizeLimit: 'text' },
};

function podShown(value: unknown, index: number, kind: CreatableJob, type: string): Shown {
  const pod = podPath(index);
  const container = containerPath(value, index, containerName(kind, type));
  const gpu = gpuOf(value, container);
  const resources: Shown = gpu ? { ...amounts, [gpu]: 'text' } : amounts;
  const mounts = mountsOf(value, pod, container).filter((each) => each.type && each.volume >= 0);
  const volumes = mounts.map(({ volume, type: known }) => {
    const name = known as string;
    return [String(volume), { name: 'text', [name]: volumeShown[name] as Shown }] as const;
  });
  const mountShown: Shown = {
    name: 'text',
    mountPath: 'text',
    subPath: 'text',
    readOnly: 'switch',
  };
  const shown: Shown = {
    name: 'text',
    image: 'text',
    ...(hasCommand(kind, type) && ({ command: 'texts', args: 'texts' } as const)),
    workingDir: 'text',
    resources: { limits: resources, requests: resources },
    env: envShown(value, container),
    volumeMounts: Object.fromEntries(mounts.map(({ mount }) => [String(mount), mountShown])),
  };
  return {
    containers: { [String(container.at(-1))]: shown },
    volumes: Object.fromEntries(volumes),
  };
}

function rulesShown(value: unknown, field: string): Shown {
  return everyEntry(listAt(value, ['spec', field]), (rule) =>
    Object.fromEntries(
      Object.entries(mapAt(rule, [])).map(([type, indices]) => [
        type,
        everyEntry(Array.isArray(indices) ? indices : [], () => 'text' as unknown as Shown),
      ]),
    ),
  );
}

function runPolicyShown(kind: CreatableJob): Shown {
  if (kind === 'MPIJob') return { cleanUpWorkers: 'switch' };
  const common: Shown = {
    backoffLimit: 'number',
    activeDeadlineSeconds: 'number',
    cleanUpPolicy: 'text',
  };
  return kind === 'PyTorchTrainingJob'
    ? { ...common, restartScope: 'text', onReplicaFailure: 'text' }
    : common;
}

function tensorboardShown(): Shown {
  return {
    image: 'text',
    logDir: { pvc: { 0: { name: 'text', subPath: 'texts' } } },
    resources: { limits: amounts },
  };
}

function ofKind(kind: CreatableJob, value: unknown): Shown {
  switch (kind) {
    case 'PyTorchTrainingJob':
      return {
        torchrunConfig: {
          enabled: 'switch',
          maxRestarts: 'number',
          procPerNode: 'text',
          rdzvBackend: 'text',
          extraOptions: 'texts',
        },
        runPolicy: runPolicyShown(kind),
        tensorboardSpec: tensorboardShown(),
      };
    case 'TensorFlowTrainingJob':
      return { runPolicy: runPolicyShown(kind), tensorboardSpec: tensorboardShown() };
    case 'XGBoostTrainingJob':
      return { runPolicy: runPolicyShown(kind) };
    case 'MPIJob':
      return {
        mpiConfig: { home: 'text', mca: 'texts by name', extraArgs: 'texts', script: 'texts' },
        ssh: { sshdPath: 'text', sshAuthMountPath: 'text' },
        runPolicy: runPolicyShown(kind),
      };
    case 'GenericJob':
      return {
        successRules: rulesShown(value, 'successRules'),
        failureRules: rulesShown(value, 'failureRules'),
        service: {
          ports: everyEntry(listAt(value, ['spec', 'service', 'ports']), () => ({
            name: 'text',
            port: 'number',
            protocol: 'text',
          })),
        },
        cleanUpPolicy: 'text',
      };
  }
}

function shownOf(kind: CreatableJob, value: unknown): Shown {
  const replicas = listAt(value, ['spec', 'replicaSpecs']);
  const debug = listAt(value, ['spec', 'runMode', 'debug', 'replicaSpecs']);
  const restartPolicy: Shown | Leaf = countsRestarts(kind)
    ? { policy: 'text', limit: 'number' }
    : 'text';
  return {
    apiVersion: 'text',
    kind: 'text',
    metadata: { name: 'text', namespace: 'text' },
    spec: {
      ...ofKind(kind, value),
      scheduler,
      runMode: {
        debug: {
          enabled: 'switch',
          replicaSpecs: everyEntry(debug, () => ({
            type: 'text',
            command: 'texts',
            skipInitContainer: 'switch',
          })),
        },
      },
      replicaSpecs: everyEntry(replicas, (each, index) => ({
        type: 'text',
        replicas: 'number',
        restartPolicy,
        template: { spec: podShown(value, index, kind, String(getIn(each, ['type']) ?? '')) },
      })),
    },
  };
}

function collect(value: unknown, shown: Shown | Leaf, path: Path, hidden: string[]): void {
  if (value === null || value === undefined) return;
  if (typeof shown === 'string') {
    if (!fits[shown](value)) hidden.push(fieldPathText(path));
    return;
  }
  if (typeof value !== 'object') {
    hidden.push(fieldPathText(path));
    return;
  }
  const isList = Array.isArray(value);
  for (const [key, each] of Object.entries(value)) {
    const at = [...path, isList ? Number(key) : key];
    const next = Object.hasOwn(shown, key) ? shown[key] : undefined;
    if (next === undefined) hidden.push(fieldPathText(at));
    else collect(each, next, at, hidden);
  }
}

/** The fields that only the text shows, each by the outermost name that says it. */
export function hiddenFields(kind: CreatableJob, value: unknown): string[] {
  const hidden: string[] = [];
  collect(value, shownOf(kind, value), [], hidden);
  return hidden;
}
