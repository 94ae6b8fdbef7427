import { describe, expect, it } from 'vitest';
import { en } from '../words/en';
import {
  containerNames,
  extendedOfPod,
  groupOf,
  iconOfPod,
  type Pod,
  podStatus,
  queueOfPod,
  ranBefore,
  readyCount,
  restartsOf,
  troubleKind,
  troubleOfPod,
  troubleText,
  volumeText,
} from './pod';

const pod = (rest: Partial<Pod>): Pod => ({
  metadata: { name: 'p', namespace: 'default' },
  ...rest,
});
const one = (state: object, phase = 'Running'): Pod =>
  pod({ status: { phase, containerStatuses: [{ name: 'c', state }] } });

describe('the run before', () => {
  it('was of the container, or of another pod of the replica', () => {
    expect(ranBefore(one({ running: {} }))).toBe(false);
    const again = { name: 'c', restartCount: 1 };
    expect(ranBefore(pod({ status: { containerStatuses: [again] } }))).toBe(true);
    const annotations = { 'trainyard.dev/restarts': '2' };
    expect(ranBefore(pod({ metadata: { name: 'p', annotations } }))).toBe(true);
    expect(ranBefore(pod({}))).toBeUndefined();
  });
});

describe('the status of a pod', () => {
  it('is what its containers are stuck at, else its phase', () => {
    expect(podStatus(pod({}))).toBe('Pending');
    expect(podStatus(one({ running: {} }))).toBe('Running');
    expect(podStatus(one({ waiting: { reason: 'CrashLoopBackOff' } }))).toBe('CrashLoopBackOff');
    expect(podStatus(one({ terminated: { exitCode: 137, reason: 'OOMKilled' } }, 'Failed'))).toBe(
      'OOMKilled',
    );
    expect(podStatus(one({ terminated: { exitCode: 3 } }, 'Failed'))).toBe('ExitCode:3');
    expect(podStatus(one({ terminated: { exitCode: 0, reason: 'Completed' } }, 'Succeeded'))).toBe(
      'Completed',
    );
    expect(podStatus(pod({ status: { phase: 'Failed', reason: 'Evicted' } }))).toBe('Evicted');
    const going = { name: 'p', deletionTimestamp: '2026-01-01T00:00:00Z' };
    expect(podStatus(pod({ metadata: going }))).toBe('Terminating');
  });

  it('tells which init container runs', () => {
    const waits = pod({
      spec: { initContainers: [{ name: 'a' }, { name: 'b' }], containers: [{ name: 'c' }] },
      status: {
        phase: 'Pending',
        initContainerStatuses: [
          { name: 'a', state: { terminated: { exitCode: 0 } } },
          { name: 'b', state: { running: {} } },
        ],
      },
    });
    expect(podStatus(waits)).toBe('Init:1/2');
    expect(containerNames(waits)).toEqual(['c', 'a', 'b']);
  });

  it('is not waiting when a container has failed and others go on', () => {
    const ended = { name: 'c', state: { terminated: { exitCode: 3 } } };
    const runs = { name: 'd', state: { running: {} } };
    expect(
      troubleKind(pod({ status: { phase: 'Running', containerStatuses: [runs, ended] } })),
    ).toBe('container failed');
    expect(iconOfPod(one({ terminated: { exitCode: 3 } }, 'Running'))).toBe('Failed');
    expect(iconOfPod(one({ terminated: { exitCode: 0 } }, 'Running'))).toBe('Running');
    expect(troubleKind(one({ terminated: { exitCode: 3 } }, 'Failed'))).toBe('failed');
    expect(troubleKind(one({ waiting: { message: 'pulling' } }, 'Pending'))).toBe('waits');
  });

  it('says why, in the words of whoever knows', () => {
    expect(troubleText(one({ running: {} }), en)).toBe('');
    const message = 'first\nValueError: bad\n';
    expect(troubleText(one({ terminated: { exitCode: 1, message } }), en)).toBe(
      'exit code 1 · ValueError: bad',
    );
    const ended = one({ terminated: { exitCode: 3, reason: 'Error' } }, 'Failed');
    expect(troubleText(ended, en)).toBe('exit code 3');
    const note = 'other ended at 2026-01-01T00:00:00Z\nc ended at 2026-01-01T00:00:00Z: oh no: 3';
    const noted = { type: 'trainyard.dev/Ended', status: 'True', message: note };
    expect(troubleOfPod({ ...ended, status: { ...ended.status, conditions: [noted] } })).toEqual({
      text: 'oh no: 3',
      exitCode: 3,
    });
    expect(troubleOfPod(one({ waiting: { reason: 'X', message: 'no such image' } })).text).toBe(
      'no such image',
    );
    const unscheduled = { type: 'PodScheduled', status: 'False', message: '0/1 nodes' };
    expect(troubleOfPod(pod({ status: { conditions: [unscheduled] } })).text).toBe('0/1 nodes');
  });

  it('has the icon of what it is stuck at', () => {
    expect(iconOfPod(one({ waiting: { reason: 'CrashLoopBackOff' } }))).toBe('CrashLoopBackOff');
    expect(iconOfPod(one({ waiting: { reason: 'ContainerCreating' } }, 'Pending'))).toBe('Pending');
  });
});

describe('a pod', () => {
  const shown = pod({
    metadata: {
      name: 'p',
      labels: { 'scheduler.tensorstack.dev/queue': 'research' },
      annotations: { 'scheduling.k8s.io/group-name': 'mnist' },
    },
    spec: {
      containers: [{ name: 'a', resources: { limits: { 'nvidia.com/gpu': '2' } } }, { name: 'b' }],
    },
    status: {
      containerStatuses: [
        { name: 'a', ready: true, restartCount: 2 },
        { name: 'b', ready: false, restartCount: 1 },
      ],
    },
  });

  it('counts its containers', () => {
    expect(readyCount(shown)).toBe('1 / 2');
    expect(readyCount(pod({}))).toBe('0 / 0');
    expect(restartsOf(shown)).toBe(3);
  });

  it('belongs to a group and a queue', () => {
    expect(groupOf(shown)).toBe('mnist');
    expect(groupOf(pod({}))).toBeUndefined();
    expect(queueOfPod(shown)).toBe('research');
    expect(queueOfPod(pod({}))).toBe('default');
    expect(extendedOfPod(shown)).toEqual(['nvidia.com/gpu']);
  });

  it('says what its volumes are made of', () => {
    expect(volumeText({ name: 'd', persistentVolumeClaim: { claimName: 'x' } })).toBe(
      'd: PersistentVolumeClaim x',
    );
    expect(volumeText({ name: 'shm', emptyDir: { medium: 'Memory' } })).toBe('shm: emptyDir');
  });
});
