// What a form begins with: the least that a job of the kind consists of.
import { type CreatableJob, creatableVersion } from '../kinds';

/** The name of the container that the training runs in, where the kind wants a certain one. */
export const containerNames: Record<CreatableJob, string> = {
  PyTorchTrainingJob: 'pytorch',
  TensorFlowTrainingJob: 'tensorflow',
  XGBoostTrainingJob: 'xgboost',
  MPIJob: 'worker',
  GenericJob: 'main',
};

/** The replica types that there may be; undefined: any name. */
export function typesOf(kind: CreatableJob): readonly string[] | undefined {
  switch (kind) {
    case 'TensorFlowTrainingJob':
      return ['chief', 'worker', 'ps', 'evaluator'];
    case 'XGBoostTrainingJob':
      return ['master', 'worker'];
    case 'MPIJob':
      return ['launcher', 'worker'];
    default:
      return undefined;
  }
}

/** Kinds that count restarts a type write the policy as a map. */
export function countsRestarts(kind: CreatableJob): boolean {
  return kind === 'MPIJob' || kind === 'GenericJob';
}

export function containerName(kind: CreatableJob, type: string): string {
  return kind === 'MPIJob' && type === 'launcher' ? 'launcher' : containerNames[kind];
}

/** Workers of an MPI job run sshd, and the launcher starts the program in them: their own command is not used. */
export function hasCommand(kind: CreatableJob, type: string): boolean {
  return kind !== 'MPIJob' || type !== 'worker';
}

export function newReplica(kind: CreatableJob, type: string): object {
  const policy = countsRestarts(kind) ? { policy: 'OnFailure', limit: 0 } : 'OnFailure';
  return {
    type,
    replicas: 1,
    restartPolicy: policy,
    template: {
      spec: {
        containers: [
          {
            name: containerName(kind, type),
            image: '',
            resources: { limits: { cpu: '1', memory: '1Gi' } },
          },
        ],
      },
    },
  };
}

/** The next type that "add type" makes: one that is allowed and not there yet. */
export function nextType(kind: CreatableJob, there: readonly string[]): string | undefined {
  const allowed = typesOf(kind) ?? [
    'worker',
    'ps',
    ...Array.from({ length: 50 }, (_, n) => `type-${n + 1}`),
  ];
  return allowed.find((type) => !there.includes(type));
}

function firstTypes(kind: CreatableJob): string[] {
  return kind === 'XGBoostTrainingJob' ? ['master', 'worker'] : ['worker'];
}

export function startOf(kind: CreatableJob): object {
  return {
    apiVersion: creatableVersion,
    kind,
    metadata: { name: '' },
    spec: {
      ...(kind === 'MPIJob' && { ssh: { sshdPath: '/usr/sbin/sshd' } }),
      replicaSpecs: firstTypes(kind).map((type) => newReplica(kind, type)),
    },
  };
}
