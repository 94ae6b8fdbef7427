// Jobs to begin with, which run as they are: what they are for is said by their comments, and each brings its script.
import { type CreatableJob, creatableVersion } from '../kinds';
import clientScript from './scripts/client.py?raw';
import ddpScript from './scripts/ddp.py?raw';
import horovodScript from './scripts/horovod.py?raw';
import multiWorkerScript from './scripts/multi_worker.py?raw';
import parameterServerScript from './scripts/parameter_server.py?raw';
import serverScript from './scripts/server.py?raw';
import treesScript from './scripts/trees.py?raw';

export interface Sample {
  en: string;
  zh: string;
  /** The job, and behind it the ConfigMap with its script. Empty: why not is said. */
  text: string;
  /** Of a kind without a form: it is shown as YAML, and made from there. */
  onlyYaml?: true;
  /** Why it cannot be had here. */
  why?: { en: string; zh: string };
}

const torch = 't9kpublic/pytorch-1.13.0:sdk-0.5.2';
const tensorflow = 'tensorflow/tensorflow:2.14.0';
const xgboost = 'xgboost:3';
const horovodImage = 't9kpublic/horovod-torch:0.28.1';

function indented(text: string, by: number): string {
  return text.replace(/^(?=.)/gm, ' '.repeat(by));
}

/** Behind a job: the scripts that its containers find in /sample. */
function withScripts(job: string, name: string, scripts: Record<string, string>): string {
  const data = Object.entries(scripts).map(([file, text]) => `  ${file}: |\n${indented(text, 4)}`);
  return `${job}---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n${data.join('')}`;
}

interface Container {
  name: string;
  image: string;
  /** Further fields, a line each. */
  fields: string;
  memory?: string;
}

/** What stands behind `template:`. All are small: each machine can give them. */
function pod(scripts: string, { name, image, fields, memory = '1Gi' }: Container): string {
  return `spec:
  containers:
  - name: ${name}
    image: ${image}
    workingDir: /sample
${indented(fields, 4)}
    resources:
      limits: {cpu: 1, memory: ${memory}}
    volumeMounts:
    - name: script
      mountPath: /sample
  volumes:
  - name: script
    configMap:
      name: ${scripts}
`;
}

function head(kind: CreatableJob, name: string): string {
  return `apiVersion: ${creatableVersion}\nkind: ${kind}\nmetadata:\n  name: ${name}\n`;
}

function replica(type: string, count: number, template: string): string {
  return `  - type: ${type}\n    replicas: ${count}\n    template:\n${indented(template, 6)}`;
}

/** Kubeflow's kinds name their types by keys. */
function role(type: string, count: number, template: string): string {
  const policy = '      restartPolicy: Never\n';
  return `    ${type}:\n      replicas: ${count}\n${policy}      template:\n${indented(template, 8)}`;
}

const train = 'command: [python, train.py]';

const ddp = `${head('PyTorchTrainingJob', 'ddp')}spec:
  # torchrun starts four processes, which find each other by themselves.
  torchrunConfig:
    enabled: true
    procPerNode: "4"
  replicaSpecs:
${replica('node', 1, pod('ddp-script', { name: 'pytorch', image: torch, fields: 'args: [train.py]', memory: '2Gi' }))}`;

const ddpByEnvironment = `${head('PyTorchTrainingJob', 'ddp-env')}spec:
  # Four pods of one process each meet by MASTER_ADDR and RANK, without torchrun.
  replicaSpecs:
${replica('worker', 4, pod('ddp-script', { name: 'pytorch', image: torch, fields: train }))}`;

const parameterServer = (pods: string) => `${head('PyTorchTrainingJob', 'ps')}spec:
  # When one fails, all start anew: nobody is let in later.
  runPolicy:
    restartScope: Job
    cleanUpPolicy: Unfinished
  # Ranks follow this order: the server has rank 0, and the job ends as it does.
  replicaSpecs:
${replica('ps', 1, pods)}${replica('worker', 2, pods)}`;

const multiWorker = `${head('TensorFlowTrainingJob', 'multi-worker')}spec:
  # Each worker is told of the others by TF_CONFIG.
  replicaSpecs:
${replica('worker', 2, pod('multi-worker-script', { name: 'tensorflow', image: tensorflow, fields: train, memory: '2Gi' }))}`;

const trees = (pods: string) => `${head('XGBoostTrainingJob', 'trees')}spec:
  # The master has rank 0, and the job ends as it does.
  replicaSpecs:
${replica('master', 1, pods)}${replica('worker', 2, pods)}`;

const horovod = `${head('MPIJob', 'horovod')}spec:
  # One process in each worker. One that waits for the others lets them work.
  mpiConfig:
    mca: {btl: ^openib, pml: ob1, mpi_yield_when_idle: "1"}
    extraArgs: ["-N", "1", --bind-to, none, --allow-run-as-root]
    script: [python, train.py]
  ssh:
    sshdPath: /usr/sbin/sshd
  runPolicy:
    cleanUpWorkers: true
  replicaSpecs:
  - type: launcher
    template: {}
${replica('worker', 2, pod('horovod-script', { name: 'worker', image: horovodImage, fields: 'env:\n- name: OMP_NUM_THREADS\n  value: "1"' }))}`;

const numbers = 'python:3';
const serverAndClients = `${head('GenericJob', 'server-and-clients')}spec:
  # The job succeeds when the server has ended well, whatever becomes of the clients.
  successRules:
  - server: [0]
  service:
    ports:
    - name: rpc
      port: 7000
  replicaSpecs:
${replica('server', 1, pod('server-and-clients-script', { name: 'main', image: numbers, fields: 'command: [python3, server.py]\nargs: ["$(service.port[rpc])", "2"]' }))}${replica('client', 2, pod('server-and-clients-script', { name: 'main', image: numbers, fields: 'command: [python3, client.py]\nargs: ["$(service.server[0].host):$(service.port[rpc])"]' }))}`;

const kubeflowPyTorch = (pods: string) => `apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: kubeflow-ddp
spec:
  # Master and workers meet by MASTER_ADDR and RANK.
  pytorchReplicaSpecs:
${role('Master', 1, pods)}${role('Worker', 2, pods)}`;

const kubeflowTensorFlow = `apiVersion: kubeflow.org/v1
kind: TFJob
metadata:
  name: kubeflow-multi-worker
spec:
  # Each worker is told of the others by TF_CONFIG.
  tfReplicaSpecs:
${role('Worker', 2, pod('multi-worker-script', { name: 'tensorflow', image: tensorflow, fields: train, memory: '2Gi' }))}`;

const mpirun =
  'command: [mpirun, --allow-run-as-root, -n, "2", --bind-to, none, -mca, pml, ob1, -mca, btl, ^openib]\n' +
  'args: [python, /sample/train.py]';

const kubeflowMpi = `apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata:
  name: kubeflow-horovod
spec:
  slotsPerWorker: 1
  # The launcher runs mpirun, workers without a command run sshd.
  mpiReplicaSpecs:
${role('Launcher', 1, pod('horovod-script', { name: 'launcher', image: horovodImage, fields: mpirun }))}${role('Worker', 2, pod('horovod-script', { name: 'worker', image: horovodImage, fields: 'env:\n- name: OMP_NUM_THREADS\n  value: "1"' }))}`;

const torchPod = (script: string) => pod(script, { name: 'pytorch', image: torch, fields: train });

const needsCuda = (what: string) => ({
  en: `${what} computes on NVIDIA's GPUs, with CUDA: nothing of it could be tried here. On GPUs start its script by torchrun, as a PyTorch job.`,
  zh: `${what} 在 NVIDIA GPU 上用 CUDA 计算，无法在此尝试。有 GPU 时，请以 PyTorch Job 用 torchrun 启动其脚本。`,
});

const only = (text: string) => ({ 'train.py': text });

export const samples: Record<CreatableJob, readonly Sample[]> = {
  PyTorchTrainingJob: [
    {
      en: 'DDP with torchrun',
      zh: 'DDP（torchrun）',
      text: withScripts(ddp, 'ddp-script', only(ddpScript)),
    },
    {
      en: 'DDP without torchrun',
      zh: 'DDP（不用 torchrun）',
      text: withScripts(ddpByEnvironment, 'ddp-script', only(ddpScript)),
    },
    {
      en: 'Parameter server',
      zh: '参数服务器',
      text: withScripts(
        parameterServer(torchPod('ps-script')),
        'ps-script',
        only(parameterServerScript),
      ),
    },
    {
      en: "Kubeflow's PyTorchJob",
      zh: 'Kubeflow 的 PyTorchJob',
      text: withScripts(kubeflowPyTorch(torchPod('ddp-script')), 'ddp-script', only(ddpScript)),
      onlyYaml: true,
    },
    { en: 'DeepSpeed', zh: 'DeepSpeed', text: '', why: needsCuda('DeepSpeed') },
    { en: 'ColossalAI', zh: 'ColossalAI', text: '', why: needsCuda('ColossalAI') },
  ],
  TensorFlowTrainingJob: [
    {
      en: 'Several workers',
      zh: '多 worker',
      text: withScripts(multiWorker, 'multi-worker-script', only(multiWorkerScript)),
    },
    {
      en: "Kubeflow's TFJob",
      zh: 'Kubeflow 的 TFJob',
      text: withScripts(kubeflowTensorFlow, 'multi-worker-script', only(multiWorkerScript)),
      onlyYaml: true,
    },
  ],
  XGBoostTrainingJob: [
    {
      en: 'Master and workers',
      zh: 'master 与 worker',
      text: withScripts(
        trees(pod('trees-script', { name: 'xgboost', image: xgboost, fields: train })),
        'trees-script',
        only(treesScript),
      ),
    },
  ],
  MPIJob: [
    {
      en: 'Horovod',
      zh: 'Horovod',
      text: withScripts(horovod, 'horovod-script', only(horovodScript)),
    },
    {
      en: "Kubeflow's MPIJob",
      zh: 'Kubeflow 的 MPIJob',
      text: withScripts(kubeflowMpi, 'horovod-script', only(horovodScript)),
      onlyYaml: true,
    },
  ],
  GenericJob: [
    {
      en: 'Server and clients',
      zh: '服务端与客户端',
      text: withScripts(serverAndClients, 'server-and-clients-script', {
        'server.py': serverScript,
        'client.py': clientScript,
      }),
    },
  ],
};
