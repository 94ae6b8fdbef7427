import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { firstImage, type ImageContents, lacksOf, needsOf } from './needs';
import { samples } from './samples';

const contents = (...found: string[]): ImageContents => ({
  python: '/opt/venv/bin/python',
  venv: true,
  known: true,
  found,
});

describe('what an image lacks', () => {
  const image = 'tensorflow/tensorflow:2.14.0';

  it('is told with the command that brings it', () => {
    expect(lacksOf(['tensorflow'], image, contents('torch'))).toEqual([
      {
        need: 'tensorflow',
        command:
          "python3 -m venv ~/trainyard-tensorflow && ~/trainyard-tensorflow/bin/pip install tensorflow-cpu && trainyard image map 'tensorflow/tensorflow*' --venv ~/trainyard-tensorflow",
      },
    ]);
    const [horovod] = lacksOf(['mpi', 'horovod'], 'h:1', contents('mpirun', 'ssh', 'sshd'));
    expect(horovod?.need).toBe('horovod');
    expect(horovod?.command).toContain('/opt/venv/bin/python -m pip install');
    const [mpi] = lacksOf(['mpi'], 'h:1', contents('mpirun', 'ssh'));
    expect(mpi?.command).toContain('openssh-server');
  });

  it('is nothing where it is there, or where nobody knows', () => {
    expect(lacksOf(['tensorflow'], image, contents('tensorflow'))).toEqual([]);
    expect(lacksOf(['tensorflow'], image, { ...contents(), known: false })).toEqual([]);
    expect(lacksOf(['tensorflow'], image, undefined)).toEqual([]);
  });

  it('is asked of the image of whatever kind', () => {
    for (const sample of Object.values(samples).flat()) {
      if (!sample.text) continue;
      expect(firstImage(parseAllDocuments(sample.text)[0]?.toJS())).not.toBe('');
    }
    expect(firstImage({})).toBe('');
    const needs = (kind: keyof typeof samples) =>
      samples[kind]
        .filter(({ text }) => text !== '')
        .map(({ text }) => needsOf(parseAllDocuments(text)[0]?.toJS()));
    expect(needs('TensorFlowTrainingJob')).toEqual([['tensorflow'], ['tensorflow']]);
    expect(needs('MPIJob')).toEqual([
      ['mpi', 'horovod'],
      ['mpi', 'horovod'],
    ]);
    expect(needs('GenericJob')).toEqual([[]]);
  });
});
