import { describe, expect, it } from 'vitest';
import {
  amountsOfNotebook,
  claimsOfNotebook,
  fileSets,
  imageOf,
  type Notebook,
  openHref,
  queueOfApp,
  statusOfApp,
  type TensorBoard,
  troubleOfApp,
} from './app';

const board = (spec: TensorBoard['spec']): TensorBoard => ({
  metadata: { name: 'board' },
  ...(spec && { spec }),
});

describe('a TensorBoard', () => {
  it('names its folders as it shows them itself', () => {
    expect(fileSets(board({ logDir: { pvc: [{ name: 'mnist', subPath: ['./log'] }] } }))).toEqual([
      '/pvc-mnist/log',
    ]);
    expect(
      fileSets(board({ logDir: { pvc: [{ name: 'a' }, { name: 'b', subpath: ['x/', '/y'] }] } })),
    ).toEqual(['/pvc-a', '/pvc-b/x', '/pvc-b/y']);
    expect(
      fileSets(
        board({
          logDir: { s3: { uri: ['s3://bucket/runs'] } },
          trainingLogFilesets: ['t9k://pvc/tutorial/ps/log', 't9k://minio/key/bucket/runs'],
        }),
      ),
    ).toEqual(['s3://bucket/runs', '/pvc-tutorial/ps/log', 't9k://minio/key/bucket/runs']);
    expect(fileSets(board(undefined))).toEqual([]);
  });
});

describe('a notebook', () => {
  const lab: Notebook = {
    metadata: { name: 'lab' },
    spec: {
      template: {
        spec: {
          containers: [
            { name: 'helper', image: 'helper:1' },
            { name: 'notebook', image: 'jupyter:1', resources: { limits: { cpu: '2' } } },
          ],
          volumes: [
            { persistentVolumeClaim: { claimName: 'home' } },
            { persistentVolumeClaim: { claimName: 'home' } },
            {},
          ],
        },
      },
      scheduler: { t9kScheduler: {} },
    },
  };

  it('is its container, its claims and its queue', () => {
    expect(imageOf(lab)).toBe('jupyter:1');
    expect(claimsOfNotebook(lab)).toEqual(['home']);
    expect(amountsOfNotebook(lab).get('cpu')).toEqual({ request: 2, limit: 2 });
    expect(queueOfApp(lab)).toBe('default');
    expect(imageOf({ metadata: { name: 'empty' } })).toBeUndefined();
    expect(queueOfApp({ metadata: { name: 'empty' } })).toBeUndefined();
  });
});

describe('an app', () => {
  it('waits until its controller has looked at it, and ends when it is deleted', () => {
    expect(statusOfApp({ metadata: { name: 'x' } })).toBe('Pending');
    expect(statusOfApp({ metadata: { name: 'x' }, status: { phase: 'Running' } })).toBe('Running');
    const going = { name: 'x', deletionTimestamp: '2026-01-01T00:00:00Z' };
    expect(statusOfApp({ metadata: going, status: { phase: 'Running' } })).toBe('Terminating');
  });

  it('has an address at which it is opened', () => {
    const app = { kind: 'TensorBoard', metadata: { name: 'board.1', namespace: 'vision' } };
    expect(openHref(app)).toBe('/open/vision/tensorboard/board.1');
  });
});

describe('an app that does not serve', () => {
  const ready = (status: string, message: string) => [{ type: 'Ready', status, message }];
  const app = (phase: string, conditions: ReturnType<typeof ready>, suspend = false): Notebook => ({
    metadata: { name: 'x' },
    spec: { suspend },
    status: { phase, conditions },
  });

  it('says why, unless it is not meant to', () => {
    const why = 'jupyter-lab is not there: `trainyard notebook setup` installs it';
    expect(troubleOfApp(app('Failed', ready('False', why)))).toBe(why);
    expect(troubleOfApp(app('Running', ready('True', '')))).toBeUndefined();
    expect(troubleOfApp(app('Suspended', ready('False', 'suspended'), true))).toBeUndefined();
    expect(troubleOfApp({ metadata: { name: 'new' } })).toBeUndefined();
  });
});
