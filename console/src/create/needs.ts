// What jobs need that an image may lack on this machine, and what brings it. No screen in here.
import { getIn, listAt, textAt } from './document';

export type Need = 'torch' | 'tensorflow' | 'xgboost' | 'mpi' | 'horovod';

/** What the server has found in an image's environment. */
export interface ImageContents {
  /** Empty: there is none. */
  python: string;
  venv: boolean;
  /** Whether it can be told what is there. */
  known: boolean;
  found: string[];
}

export interface Lack {
  need: Need;
  /** In a terminal of this machine. */
  command: string;
  /** The same for who has Trainyard's sources. */
  inSources?: string;
}

export const needNames: Record<Need, string> = {
  torch: 'PyTorch',
  tensorflow: 'TensorFlow',
  xgboost: 'XGBoost',
  mpi: 'Open MPI',
  horovod: 'Horovod',
};

const needsOfKind: Record<string, readonly Need[]> = {
  PyTorchTrainingJob: ['torch'],
  PyTorchJob: ['torch'],
  TensorFlowTrainingJob: ['tensorflow'],
  TFJob: ['tensorflow'],
  XGBoostTrainingJob: ['xgboost'],
  MPIJob: ['mpi'],
};

/** What a job of its kind is useless without; an image that is named for Horovod must have that, too. */
export function needsOf(value: unknown): readonly Need[] {
  const needs = needsOfKind[textAt(value, ['kind'])] ?? [];
  return needs.includes('mpi') && /horovod/.test(firstImage(value)) ? [...needs, 'horovod'] : needs;
}

const wheels: Record<Exclude<Need, 'mpi' | 'horovod'>, string> = {
  torch: 'torch',
  tensorflow: 'tensorflow-cpu',
  xgboost: 'xgboost-cpu',
};

const horovodFor =
  'HOROVOD_WITH_PYTORCH=1 HOROVOD_WITH_MPI=1 HOROVOD_WITHOUT_TENSORFLOW=1 HOROVOD_WITHOUT_MXNET=1 HOROVOD_WITHOUT_GLOO=1';

function isThere(need: Need, { found }: ImageContents): boolean {
  if (need === 'mpi') return ['mpirun', 'ssh', 'sshd'].every((each) => found.includes(each));
  return found.includes(need);
}

/** `tensorflow/tensorflow:2.14.0` and its other versions. */
function patternOf(image: string): string {
  return `${image.replace(/@.*$/, '').replace(/:[^/:]*$/, '')}*`;
}

/**
 * An environment of its own, which the image then means: the server need not be started anew, and nothing that other jobs
 * use is changed.
 */
function ownEnvironment(need: keyof typeof wheels, image: string): string {
  const folder = `~/trainyard-${need}`;
  return `python3 -m venv ${folder} && ${folder}/bin/pip install ${wheels[need]} && trainyard image map '${patternOf(image)}' --venv ${folder}`;
}

function commandFor(need: Need, image: string, contents: ImageContents): string {
  if (need === 'mpi') return 'apt-get install openmpi-bin openssh-client openssh-server';
  if (need === 'horovod') {
    const python = contents.venv ? contents.python : '~/venv/bin/python';
    const make = contents.venv ? '' : 'python3 -m venv --system-site-packages ~/venv && ';
    const map = contents.venv ? '' : ` && trainyard image map '${patternOf(image)}' --venv ~/venv`;
    return `apt-get install g++ cmake python3-dev libopenmpi-dev libtorch-dev pybind11-dev && ${make}${python} -m pip install wheel && ${horovodFor} ${python} -m pip install --no-build-isolation horovod${map}`;
  }
  if (need === 'torch' && contents.venv) return `${contents.python} -m pip install torch`;
  return ownEnvironment(need, image);
}

/** What is not there, of images whose environments tell. */
export function lacksOf(
  needs: readonly Need[],
  image: string,
  contents: ImageContents | undefined,
): Lack[] {
  if (!contents?.known) return [];
  return needs
    .filter((need) => !isThere(need, contents))
    .map((need) => ({
      need,
      command: commandFor(need, image, contents),
      ...(need === 'horovod' && { inSources: 'make horovod' }),
    }));
}

/** The image of the containers that train, whichever kind it is; empty: none is named yet. */
export function firstImage(value: unknown): string {
  const spec = getIn(value, ['spec']);
  const byType = ['pytorchReplicaSpecs', 'tfReplicaSpecs', 'mpiReplicaSpecs'].flatMap((name) =>
    Object.values((getIn(spec, [name]) as object | undefined) ?? {}),
  );
  for (const group of [...listAt(spec, ['replicaSpecs']), ...byType]) {
    for (const container of listAt(group, ['template', 'spec', 'containers'])) {
      const image = textAt(container, ['image']);
      if (image) return image;
    }
  }
  return '';
}
