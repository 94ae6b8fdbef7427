import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import example from '../../../examples/ddp-mnist/job.yaml?raw';
import { partsOf } from './beside';
import { cloneText } from './clone';
import { hiddenFields } from './coverage';
import { edited, put, putScalar, setIn } from './document';
import { JobForm } from './job_form';
import { missingFields } from './needed';
import {
  addMount,
  containerPath,
  envOf,
  mountsOf,
  podPath,
  removeMount,
  renameVolume,
  setSharedMemory,
  writeEnv,
} from './pod';
import { samples } from './samples';
import { joinWords, splitWords } from './shell_words';
import { nextType, startOf } from './starts';

describe('a command line', () => {
  it.each([
    ['python train.py "--x=1 2"', ['python', 'train.py', '--x=1 2']],
    [`bash -c 'echo "$HOME" | cat'`, ['bash', '-c', 'echo "$HOME" | cat']],
    ["$'a\\nb' c\\ d ''", ['a\nb', 'c d', '']],
    ['--addr=$(MASTER_ADDR):$(MASTER_PORT)', ['--addr=$(MASTER_ADDR):$(MASTER_PORT)']],
    ['a"b"\'c\'', ['abc']],
    ['', []],
  ])('%s', (line, words) => {
    expect(splitWords(line)).toEqual({ words });
    expect(splitWords(joinWords(words))).toEqual({ words });
  });

  it('says which quote is open', () => {
    expect(splitWords('a "b')).toEqual({ unclosed: '"' });
    expect(splitWords("a 'b")).toEqual({ unclosed: "'" });
  });

  it('survives any words', () => {
    const words = ['it\'s "so"', 'a\\b', '`x`', '$y z', '\t', '中文 字', "'", '"', '\\'];
    expect(splitWords(joinWords(words))).toEqual({ words });
    expect(joinWords(['--lr=0.1', 'a.py'])).toBe('--lr=0.1 a.py');
  });
});

describe('a change of the text', () => {
  it('leaves comments, order and everything else as they were', () => {
    const image = ['spec', 'replicaSpecs', 0, 'template', 'spec', 'containers', 0, 'image'];
    const changed = edited(example, (document) => putScalar(document, image, 'other:1'));
    expect(changed).toBe(example.replace('t9kpublic/pytorch-1.13.0:sdk-0.5.2', 'other:1'));
  });

  it('changes nothing when nothing changes', () => {
    expect(edited(example, () => {})).toBe(example);
  });

  it('puts new fields where people write them', () => {
    const text = 'metadata: {name: a}\nspec:\n  replicaSpecs: []\n';
    const changed = edited(text, (document) => {
      setIn(document, ['spec', 'runPolicy', 'backoffLimit'], 3);
      setIn(document, ['apiVersion'], 'v1');
    });
    expect(changed).toBe(
      'apiVersion: v1\nmetadata: {name: a}\nspec:\n  runPolicy:\n    backoffLimit: 3\n  replicaSpecs: []\n',
    );
  });

  it('fills a key without a value, and removes what becomes empty', () => {
    const filled = edited('spec:\n', (document) => setIn(document, ['spec', 'ssh', 'path'], '/x'));
    expect(parse(filled)).toEqual({ spec: { ssh: { path: '/x' } } });
    const emptied = edited(filled, (document) => put(document, ['spec', 'ssh', 'path'], ''));
    expect(parse(emptied)).toEqual({ spec: {} });
  });

  it('has no quotes that it does not need', () => {
    const renamed = (name: string) =>
      edited('metadata:\n  name: "" # why\n', (document) =>
        putScalar(document, ['metadata', 'name'], name),
      );
    expect(renamed('form-job')).toBe('metadata:\n  name: form-job # why\n');
    expect(renamed('12')).toBe('metadata:\n  name: "12" # why\n');
    expect(renamed('a: b')).toBe('metadata:\n  name: "a: b" # why\n');
  });

  it('quotes what another parser would take for something else', () => {
    const changed = edited('a: b\n', (document) => {
      for (const [key, value] of Object.entries({ a: 'yes', b: '4', c: 'null', d: 'on' })) {
        putScalar(document, [key], value);
      }
    });
    expect(changed).toBe('a: "yes"\nb: "4"\nc: "null"\nd: "on"\n');
  });

  it('keeps the comment behind a value', () => {
    const changed = edited('a: 1 # why\n', (document) => putScalar(document, ['a'], 2));
    expect(changed).toBe('a: 2 # why\n');
  });
});

describe('the pods of a type', () => {
  const value = parse(example);
  const pod = podPath(0);
  const container = containerPath(value, 0, 'pytorch');

  it('have variables from everywhere', () => {
    const [job, threads] = envOf(value, container);
    expect(job).toMatchObject({
      source: 'fieldRef',
      value: "metadata.labels['tensorstack.dev/owner-name']",
    });
    expect(threads).toMatchObject({ source: 'value', name: 'OMP_NUM_THREADS', value: '1' });
    const entry = {
      name: 'KEY',
      source: 'secretKeyRef',
      value: '',
      object: 's',
      key: 'k',
    } as const;
    const changed = parse(edited(example, (document) => writeEnv(document, container, 1, entry)));
    expect(envOf(changed, container)[1]).toEqual(entry);
    const plain = { ...entry, source: 'value', value: 'true' } as const;
    const back = parse(
      edited(stringify(changed), (document) => writeEnv(document, container, 1, plain)),
    );
    expect(back.spec.replicaSpecs[0].template.spec.containers[0].env[1]).toEqual({
      name: 'KEY',
      value: 'true',
    });
  });

  it('have volumes with their mounts', () => {
    expect(mountsOf(value, pod, container)).toMatchObject([
      { name: 'examples', path: '/examples', type: 'persistentVolumeClaim', object: 'examples' },
      { name: 'data', path: '/data', readOnly: true, object: 'mnist' },
    ]);
    const [first] = mountsOf(value, pod, container);
    if (!first) throw new Error('there are two');
    const renamed = parse(edited(example, (d) => renameVolume(d, value, pod, first, 'code')));
    expect(mountsOf(renamed, pod, container)[0]).toMatchObject({
      name: 'code',
      object: 'examples',
    });
    const fewer = parse(edited(example, (d) => removeMount(d, value, pod, container, first)));
    expect(mountsOf(fewer, pod, container).map(({ name }) => name)).toEqual(['data']);
    expect(fewer.spec.replicaSpecs[0].template.spec.volumes).toHaveLength(1);
  });

  it('have shared memory at the switch, and none without', () => {
    const on = edited(example, (d) => setSharedMemory(d, value, pod, container, true));
    const { volumes, containers } = parse(on).spec.replicaSpecs[0].template.spec;
    expect(volumes.at(-1)).toEqual({ name: 'shm', emptyDir: { medium: 'Memory' } });
    expect(containers[0].volumeMounts.at(-1)).toEqual({ name: 'shm', mountPath: '/dev/shm' });
    const off = edited(on, (d) => setSharedMemory(d, parse(on), pod, container, false));
    expect(off).toBe(example);
  });

  it('get their first volume', () => {
    const text = stringify(startOf('PyTorchTrainingJob'));
    const made = { name: 'v', source: { persistentVolumeClaim: { claimName: 'c' } }, path: '/v' };
    const changed = edited(text, (d) => addMount(d, parse(text), pod, container, made));
    expect(mountsOf(parse(changed), pod, container)).toMatchObject([{ name: 'v', object: 'c' }]);
  });
});

describe('what the form does not show', () => {
  it('is named by its field', () => {
    expect(hiddenFields('PyTorchTrainingJob', parse(example))).toEqual([
      'metadata.generateName',
      'spec.replicaSpecs[0].template.spec.volumes[1].persistentVolumeClaim.readOnly',
    ]);
    const odd = parse(example);
    odd.spec.elastic = { enabled: true };
    odd.spec.replicaSpecs[0].template.spec.containers[0].command = 'sleep';
    odd.spec.replicaSpecs[0].template.spec.initContainers = [{ name: 'x' }];
    expect(hiddenFields('PyTorchTrainingJob', odd)).toEqual(
      expect.arrayContaining([
        'spec.elastic',
        'spec.replicaSpecs[0].template.spec.containers[0].command',
        'spec.replicaSpecs[0].template.spec.initContainers',
      ]),
    );
  });

  it.each([
    'PyTorchTrainingJob',
    'TensorFlowTrainingJob',
    'XGBoostTrainingJob',
    'MPIJob',
    'GenericJob',
  ] as const)('is nothing of what it begins with: %s', (kind) => {
    expect(hiddenFields(kind, startOf(kind))).toEqual([]);
  });

  it('knows both ways to say rules and restarts', () => {
    const value = {
      spec: {
        successRules: [{ server: [0] }],
        replicaSpecs: [{ type: 'server', restartPolicy: { policy: 'Never', limit: 2 } }],
      },
    };
    expect(hiddenFields('GenericJob', value)).toEqual([]);
    expect(hiddenFields('PyTorchTrainingJob', value)).toEqual([
      'spec.successRules',
      'spec.replicaSpecs[0].restartPolicy',
    ]);
  });
});

describe('what must be filled in', () => {
  it('is name, image and limits', () => {
    expect(missingFields('PyTorchTrainingJob', startOf('PyTorchTrainingJob'))).toEqual([
      'metadata.name',
      'spec.replicaSpecs[0].template.spec.containers[0].image',
    ]);
    expect(missingFields('PyTorchTrainingJob', parse(example))).toEqual([]);
  });

  it('is nothing of a launcher', () => {
    const value = {
      metadata: { name: 'a' },
      spec: { replicaSpecs: [{ type: 'launcher', template: {} }] },
    };
    expect(missingFields('MPIJob', value)).toEqual([]);
  });

  it('is what a volume, a variable and a TensorBoard need', () => {
    const value = parse(example);
    const { containers, volumes } = value.spec.replicaSpecs[0].template.spec;
    containers[0].volumeMounts[0].mountPath = '';
    volumes[0].persistentVolumeClaim.claimName = '';
    containers[0].env.push({ name: '', value: 'x' });
    delete value.spec.tensorboardSpec.image;
    expect(missingFields('PyTorchTrainingJob', value)).toHaveLength(4);
  });
});

describe('a clone', () => {
  it('has another name and nothing of the life of the other', () => {
    const made = parse(
      cloneText({
        apiVersion: 'batch.tensorstack.dev/v1beta1',
        kind: 'GenericJob',
        metadata: { name: 'a', uid: 'u', resourceVersion: '3', labels: { team: 'x' } },
        spec: { runMode: { pause: { enabled: true } }, replicaSpecs: [] },
        status: { phase: 'Paused' },
      } as never),
    );
    expect(made).toEqual({
      apiVersion: 'batch.tensorstack.dev/v1beta1',
      kind: 'GenericJob',
      metadata: { name: 'a-copy', labels: { team: 'x' } },
      spec: { replicaSpecs: [] },
    });
  });

  it('leaves to the other what the server has given it, and keeps what a user wrote', () => {
    const annotations = {
      'trainyard.dev/port': '29500',
      'trainyard.dev/ports': '3',
      'trainyard.dev/last-used': '2026-01-01T00:00:00Z',
      'trainyard.dev/path': '/data',
      'trainyard.dev/network': 'private',
      note: 'mine',
    };
    const made = parse(cloneText({ metadata: { name: 'a', annotations } } as never));
    expect(made.metadata.annotations).toEqual({
      'trainyard.dev/path': '/data',
      'trainyard.dev/network': 'private',
      note: 'mine',
    });
  });

  it('of a pod of a job is none of the job’s', () => {
    const labels = {
      'tensorstack.dev/owner-name': 'job',
      'replica-index': '0',
      'scheduler.tensorstack.dev/group-name': 'job',
      'scheduler.tensorstack.dev/queue': 'fast',
    };
    const copied = (more: object) =>
      parse(cloneText({ kind: 'Pod', metadata: { name: 'p', labels, ...more } } as never)).metadata;
    expect(copied({ ownerReferences: [{ uid: 'u' }] }).labels).toEqual({
      'scheduler.tensorstack.dev/queue': 'fast',
    });
    expect(copied({}).labels).toEqual(labels);
  });
});

describe('the state of a form', () => {
  it('brings back what was replaced, and forgets what was sent', () => {
    const form = new JobForm('MPIJob', 'metadata: {name: a}\n');
    form.replace('metadata: {name: b}\n');
    expect(form.earlier.value).toBeUndefined();
    form.scalar(['metadata', 'name'], 'c');
    form.replace('metadata: {name: d}\n');
    form.restore();
    expect(form.value.value).toEqual({ metadata: { name: 'c' } });
    expect(form.isChanged()).toBe(false);
    form.scalar(['metadata', 'name'], 'e');
    form.sent();
    expect(form.isChanged()).toBe(false);
  });

  it('forgets what was said against it when it changes', () => {
    const form = new JobForm('MPIJob', 'metadata: {name: A}\n');
    form.refusal.value = 'MPIJob "A" is invalid';
    form.told.value = new Map([['metadata.name', 'no capitals']]);
    form.scalar(['metadata', 'name'], 'a');
    expect(form.refusal.value).toBe('');
    expect(form.errorAt(['metadata', 'name'])).toBeUndefined();
  });

  it('brings back a block that was switched off', () => {
    const form = new JobForm('GenericJob', 'spec: {}\n');
    const path = ['spec', 'runPolicy'];
    form.toggle(path, true, { backoffLimit: 3 });
    form.scalar([...path, 'backoffLimit'], 7);
    form.toggle(path, false, {});
    expect(form.value.value).toEqual({ spec: {} });
    form.toggle(path, true, { backoffLimit: 3 });
    expect(form.value.value).toEqual({ spec: { runPolicy: { backoffLimit: 7 } } });
  });

  it('marks empty fields once they were to be sent, and open quotes at once', () => {
    const form = new JobForm('MPIJob', 'metadata: {}\n');
    expect(form.errorAt(['metadata', 'name'])).toBeUndefined();
    expect(form.check()).toBe(false);
    expect(form.errorAt(['metadata', 'name'])).toBeTruthy();
    form.setBroken(['spec', 'x'], 'open');
    expect(form.errorAt(['spec', 'x'])).toBe('open');
  });
});

describe('the samples', () => {
  it.each(Object.entries(samples))('of %s are whole and shown by the form', (kind, all) => {
    for (const { text: whole, onlyYaml, why } of all) {
      expect(whole === '').toBe(why !== undefined);
      if (whole === '') continue;
      const { text, beside } = partsOf(whole);
      const value = parse(text);
      if (!onlyYaml) {
        expect(value.kind).toBe(kind);
        expect(hiddenFields(value.kind, value)).toEqual([]);
        expect(missingFields(value.kind, value)).toEqual([]);
      }
      expect(edited(text, () => {})).toBe(text);
      const script = parse(beside);
      expect(text).toContain(`name: ${script.metadata.name}\n`);
      for (const file of Object.keys(script.data)) expect(text).toContain(file);
    }
  });
});

describe('one more type', () => {
  it('is one that is not there', () => {
    expect(nextType('XGBoostTrainingJob', ['master', 'worker'])).toBeUndefined();
    expect(nextType('TensorFlowTrainingJob', ['worker'])).toBe('chief');
    expect(nextType('GenericJob', ['worker', 'ps'])).toBe('type-1');
  });
});
