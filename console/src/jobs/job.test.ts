import { describe, expect, it } from 'vitest';
import {
  amountsOf,
  causeOf,
  claimsOf,
  exitCodeOf,
  extendedOf,
  type Job,
  kindIdOf,
  leadOf,
  phaseCounts,
  phaseOf,
  phaseWord,
  queueOf,
  replicaCounts,
  replicaOfPod,
  replicaTypes,
  runSpan,
  schedulerOf,
  shortCause,
} from './job';

const job: Job = { metadata: { name: 'ddp' } };

describe('phaseCounts', () => {
  it('counts what became of pods that are gone', () => {
    const replicas = [
      { name: 'a', phase: 'Running' },
      { name: 'b', phase: 'Deleted', endedAs: 'Succeeded' },
      { name: 'c', phase: 'Succeeded' },
      { name: 'd' },
    ];
    const job = { metadata: { name: 'j' }, status: { tasks: [{ type: 'worker', replicas }] } };
    expect(phaseCounts(job, 'worker')).toEqual([
      { phase: 'Running', count: 1 },
      { phase: 'Succeeded', count: 2 },
      { phase: 'Pending', count: 1 },
    ]);
    expect(phaseCounts(job, 'ps')).toEqual([]);
  });
});

describe('the time that a job has run', () => {
  const startTime = '2026-01-01T10:00:00Z';
  const ofStatus = (status: NonNullable<Job['status']>): Job => ({
    metadata: { name: 'j' },
    status,
  });
  const held = (status: string, lastTransitionTime: string) => ({
    conditions: [{ type: 'Paused', status, lastTransitionTime }],
  });

  it('does not begin before it runs', () => {
    expect(runSpan(ofStatus({ phase: 'Pending', startTime }))).toEqual({});
    expect(runSpan(ofStatus({ phase: 'Paused' }))).toEqual({});
  });

  it('goes on while it runs, and ends with it', () => {
    const from = '2026-01-01T10:00:00.000Z';
    expect(runSpan(ofStatus({ phase: 'Running', startTime }))).toEqual({ from });
    const completionTime = '2026-01-01T11:00:00Z';
    expect(runSpan(ofStatus({ phase: 'Failed', startTime, completionTime }))).toEqual({
      from,
      to: completionTime,
    });
  });

  it('stands still while it is held, and leaves pauses out', () => {
    const paused = held('True', '2026-01-01T10:30:00Z');
    expect(runSpan(ofStatus({ phase: 'Paused', startTime, ...paused }))).toEqual({
      from: '2026-01-01T10:00:00.000Z',
      to: '2026-01-01T10:30:00Z',
    });
    const resumed = { startTime, pausedSeconds: 600, ...held('False', '2026-01-01T10:40:00Z') };
    expect(runSpan(ofStatus({ phase: 'Resuming', ...resumed }))).toEqual({
      from: '2026-01-01T10:10:00.000Z',
      to: '2026-01-01T10:40:00Z',
    });
    expect(runSpan(ofStatus({ phase: 'Running', ...resumed })).to).toBeUndefined();
  });
});

describe('job', () => {
  it('is Pending before the first status, and says Error for Failed', () => {
    expect(phaseOf(job)).toBe('Pending');
    expect(phaseWord('Failed')).toBe('Error');
    expect(phaseWord('Succeeded')).toBe('Succeeded');
  });

  it('counts the replicas of the status, or else those of the specification', () => {
    const spec = { replicaSpecs: [{ type: 'node', replicas: 4 }, { type: 'extra' }] };
    expect(replicaCounts({ ...job, spec })).toEqual([
      { type: 'node', running: 0, total: 4 },
      { type: 'extra', running: 0, total: 1 },
    ]);
    const replicas = [
      { name: 'a', phase: 'Running' },
      { name: 'b', phase: 'Pending' },
    ];
    expect(
      replicaCounts({ ...job, spec, status: { tasks: [{ type: 'node', replicas }] } }),
    ).toEqual([{ type: 'node', running: 1, total: 2 }]);
  });

  it('reads the replica types of Kubeflow’s kinds, too', () => {
    const kubeflow: Job = {
      ...job,
      apiVersion: 'kubeflow.org/v1',
      kind: 'PyTorchJob',
      spec: {
        pytorchReplicaSpecs: { Master: {}, Worker: { replicas: 3, restartPolicy: 'Never' } },
      },
      status: { replicaStatuses: { Worker: { active: 2 } } },
    };
    expect(replicaTypes(kubeflow).map(({ restartPolicy }) => restartPolicy)).toEqual([
      '-',
      'Never',
    ]);
    expect(replicaCounts(kubeflow)).toEqual([
      { type: 'Master', running: 0, total: 1 },
      { type: 'Worker', running: 2, total: 3 },
    ]);
    expect(kindIdOf(kubeflow)).toBe('pytorchjobs.kubeflow.org');
  });

  it('takes the phase of Kubeflow’s kinds from the last condition that holds', () => {
    const phase = (...conditions: [string, string][]) =>
      phaseOf({
        ...job,
        apiVersion: 'kubeflow.org/v1',
        status: { conditions: conditions.map(([type, status]) => ({ type, status })) },
      });
    expect(phase()).toBe('Pending');
    expect(phase(['Created', 'True'], ['Running', 'True'])).toBe('Running');
    expect(phase(['Created', 'True'], ['Running', 'False'], ['Failed', 'True'])).toBe('Failed');
    expect(phase(['Created', 'True'], ['Suspended', 'True'])).toBe('Paused');
  });

  it('sums what the replicas ask for, without the launcher of an MPI job', () => {
    const template = (resources: object) => ({
      spec: {
        containers: [{ name: 'c', resources }],
        volumes: [{ persistentVolumeClaim: { claimName: 'data' } }, {}],
      },
    });
    const mpi: Job = {
      ...job,
      kind: 'MPIJob',
      spec: {
        replicaSpecs: [
          { type: 'launcher', replicas: 1, template: template({ limits: { cpu: '100' } }) },
          {
            type: 'worker',
            replicas: 4,
            template: template({
              requests: { cpu: '4' },
              limits: { cpu: '8', 'nvidia.com/gpu': '1' },
            }),
          },
        ],
      },
    };
    expect(amountsOf(mpi).get('cpu')).toEqual({ request: 16, limit: 32 });
    expect(extendedOf(mpi)).toEqual(['nvidia.com/gpu']);
    expect(claimsOf(mpi)).toEqual(['data']);
  });

  it('reads MPI jobs of the older form, and adds the launcher that nobody wrote down', () => {
    const worker = {
      replicas: 4,
      template: {
        spec: {
          containers: [
            { name: 'mpi-worker', image: 'hvd:1', resources: { requests: { cpu: '1' } } },
          ],
        },
      },
    };
    const older: Job = { ...job, kind: 'MPIJob', spec: { worker } };
    const newest: Job = {
      ...job,
      kind: 'MPIJob',
      spec: { replicaSpecs: [{ type: 'worker', ...worker }] },
    };
    for (const each of [older, newest]) {
      expect(
        replicaTypes(each).map(({ type, replicas, pod }) => [
          type,
          replicas,
          pod.containers?.[0]?.image,
        ]),
      ).toEqual([
        ['launcher', 1, 'hvd:1'],
        ['worker', 4, 'hvd:1'],
      ]);
      expect(amountsOf(each).get('cpu')).toEqual({ request: 4 });
    }
  });

  it('knows scheduler and queue', () => {
    expect([schedulerOf(job), queueOf(job)]).toEqual(['default', 'default']);
    const t9k = { ...job, spec: { scheduler: { t9kScheduler: { queue: 'gpu' } } } };
    expect([schedulerOf(t9k), queueOf(t9k)]).toEqual(['T9k', 'gpu']);
  });

  it('says why it failed or what it waits for, and nothing while all is well', () => {
    const cause = (phase: string, type: string, status: string) =>
      causeOf({ ...job, status: { phase, conditions: [{ type, status, message: 'because\n' }] } });
    expect(cause('Failed', 'Failed', 'True')).toBe('because');
    expect(cause('Pending', 'Running', 'False')).toBe('because');
    expect(cause('Running', 'Running', 'True')).toBeUndefined();
    expect(causeOf(job)).toBeUndefined();
  });

  it('says in few words who failed first, the one that the conditions name', () => {
    const failed = (failure: object, name = 'ddp-40c14-worker-2'): Job => ({
      ...job,
      status: {
        phase: 'Failed',
        conditions: [
          {
            type: 'Failed',
            status: 'True',
            message: `A worker was lost: Pod[${name}] exited with error code 1; then Pod[x] exited`,
          },
        ],
        failures: [
          { name: 'ddp-40c14-worker-0', exitCode: 5 },
          { name, exitCode: 1, ...failure },
        ],
      },
    });
    expect(leadOf(failed({}))?.name).toBe('ddp-40c14-worker-2');
    expect(shortCause(failed({ lastLine: "KeyError: 'lr'" }))).toBe(
      "worker-2 failed (exit 1): KeyError: 'lr'",
    );
    expect(shortCause(failed({ exitCode: 137, signal: 9, lastLine: 'epoch 3' }))).toBe(
      'worker-2 failed (killed by SIGKILL)',
    );
    expect(shortCause(failed({ exitCode: 139 }))).toBe(
      'worker-2 failed (exit 139, which is 128 + SIGSEGV)',
    );
    const oom = { exitCode: 137, reason: 'OOMKilled', memoryLimit: '512Mi' };
    expect(shortCause(failed({ ...oom, besideOthers: true, container: 'side' }))).toBe(
      'worker-2 failed in container side (out of memory: its limit is 512Mi)',
    );
    expect(shortCause(failed({ exitCode: 128, reason: 'StartError', message: 'no sh' }))).toBe(
      'worker-2 did not start: no sh',
    );
    expect(shortCause(failed({ exitCode: 0, reason: 'NodeLost' }))).toBe(
      'worker-2 failed: NodeLost',
    );
    expect(shortCause(job)).toBeUndefined();
  });

  it('knows the replicas of pods', () => {
    expect(replicaOfPod('mnist', 'mnist-40c14-worker-2')).toBe('worker-2');
    expect(replicaOfPod('mnist', 'mnist-worker-2')).toBe('worker-2');
    expect(replicaOfPod('mnist', 'mnist-faced-0')).toBe('faced-0');
    expect(replicaOfPod('mnist', 'mnist-40c14-launcher')).toBe('launcher');
    expect(replicaOfPod('mnist', 'another')).toBe('another');
  });

  it('gives the exit code of the container that failed', () => {
    const ended = (...codes: (number | undefined)[]) =>
      exitCodeOf({
        name: 'pod',
        containers: codes.map((exitCode) =>
          exitCode === undefined ? { name: 'c' } : { name: 'c', exitCode },
        ),
      });
    expect(ended()).toBeUndefined();
    expect(ended(undefined)).toBeUndefined();
    expect(ended(0, 137)).toBe(137);
    expect(ended(undefined, 0)).toBe(0);
  });
});
