// Jobs to begin with, a few a kind: what they are for is said by their comments.
import type { CreatableJob } from '../kinds';

export interface Sample {
  en: string;
  zh: string;
  text: string;
}

const head = (kind: CreatableJob, name: string) =>
  `apiVersion: batch.tensorstack.dev/v1beta1\nkind: ${kind}\nmetadata:\n  name: ${name}\n`;

/** A container with a command line; limits that a small machine can give. */
const container = (name: string, image: string, fields: string, limits = 'cpu: 2, memory: 4Gi') =>
  `        containers:
        - name: ${name}
          image: ${image}
${fields.replace(/^/gm, '          ')}
          resources:
            limits: {${limits}}
`;

const torch = 't9kpublic/pytorch-1.13.0:sdk-0.5.2';

const replica = (type: string, count: number, containers: string) =>
  `  - type: ${type}\n    replicas: ${count}\n    template:\n      spec:\n${containers}`;

const ddp = `${head('PyTorchTrainingJob', 'ddp')}spec:
  # torchrun starts four processes, which find each other by themselves.
  torchrunConfig:
    enabled: true
    procPerNode: "4"
  replicaSpecs:
${replica('node', 1, container('pytorch', torch, 'args: [train.py, --epochs, "10"]', 'cpu: 4, memory: 8Gi'))}`;

const parameterServer = `${head('PyTorchTrainingJob', 'ps')}spec:
  # When one fails, all start anew: nobody is let in later.
  runPolicy:
    restartScope: Job
    cleanUpPolicy: Unfinished
  # Ranks follow this order: the server has rank 0, and the job ends as it does.
  replicaSpecs:
${replica('ps', 1, container('pytorch', torch, 'command: [python, train.py]'))}${replica('worker', 4, container('pytorch', torch, 'command: [python, train.py]'))}`;

const multiWorker = `${head('TensorFlowTrainingJob', 'multi-worker')}spec:
  # Each worker is told of the others by TF_CONFIG.
  replicaSpecs:
${replica('worker', 2, container('tensorflow', 'tensorflow/tensorflow:2.14.0', 'command: [python, train.py]'))}`;

const trees = `${head('XGBoostTrainingJob', 'trees')}spec:
  replicaSpecs:
${replica('master', 1, container('xgboost', 'xgboost:1', 'command: [python3, train.py]'))}${replica('worker', 2, container('xgboost', 'xgboost:1', 'command: [python3, train.py]'))}`;

const horovod = `${head('MPIJob', 'horovod')}spec:
  # One process in each worker.
  mpiConfig:
    mca: {btl: ^openib, pml: ob1}
    extraArgs: ["-N", "1", --allow-run-as-root]
    script: [python, /data/train.py]
  ssh:
    sshdPath: /usr/sbin/sshd
  runPolicy:
    cleanUpWorkers: true
  replicaSpecs:
  - type: launcher
    template: {}
${replica('worker', 2, container('worker', 'horovod:1', 'workingDir: /data'))}`;

const serverAndClients = `${head('GenericJob', 'server-and-clients')}spec:
  # The job succeeds when the server has ended well, whatever becomes of the clients.
  successRules:
  - server: [0]
  service:
    ports:
    - name: rpc
      port: 7000
  replicaSpecs:
${replica('server', 1, container('main', 'server:1', 'args: [--listen, "$(service.port[rpc])"]'))}${replica('client', 2, container('main', 'client:1', 'args: [--connect, "$(service.server[0].host):$(service.port[rpc])"]'))}`;

export const samples: Record<CreatableJob, readonly Sample[]> = {
  PyTorchTrainingJob: [
    { en: 'DDP with torchrun', zh: 'DDP（torchrun）', text: ddp },
    { en: 'Parameter server', zh: '参数服务器', text: parameterServer },
  ],
  TensorFlowTrainingJob: [{ en: 'Several workers', zh: '多 worker', text: multiWorker }],
  XGBoostTrainingJob: [{ en: 'Master and workers', zh: 'master 与 worker', text: trees }],
  MPIJob: [{ en: 'Horovod', zh: 'Horovod', text: horovod }],
  GenericJob: [{ en: 'Server and clients', zh: '服务端与客户端', text: serverAndClients }],
};
