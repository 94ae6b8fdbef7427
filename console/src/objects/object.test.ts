import { describe, expect, it } from 'vitest';
import { type AnyObject, appAddress, columns, podTrouble, statusOf } from './object';

const object = (rest: Partial<AnyObject>): AnyObject => ({ metadata: { name: 'x' }, ...rest });

describe('a plain list', () => {
  it('says the status of each kind in one word', () => {
    const ready = object({ status: { conditions: [{ type: 'Ready', status: 'True' }] } });
    expect(statusOf('nodes', ready)).toBe('Ready');
    expect(statusOf('nodes', object({}))).toBe('NotReady');
    expect(statusOf('volumes', object({ status: { phase: 'Bound' } }))).toBe('Bound');
    expect(statusOf('queues', object({ status: { state: 'Open' } }))).toBe('Open');
    expect(statusOf('pods', object({}))).toBe('Pending');
    expect(statusOf('secrets', object({}))).toBeUndefined();
    const going = object({ metadata: { name: 'x', deletionTimestamp: '2026-01-01T00:00:00Z' } });
    expect(statusOf('secrets', going)).toBe('Terminating');
  });

  it('tells what is wrong with a pod', () => {
    const pod = (state: object) =>
      object({ status: { containerStatuses: [{ name: 'c', state }] } });
    expect(podTrouble(pod({ terminated: { exitCode: 137, reason: 'OOMKilled' } }))).toBe(
      'OOMKilled',
    );
    expect(podTrouble(pod({ waiting: { reason: 'ErrImagePull' } }))).toBe('ErrImagePull');
    expect(podTrouble(pod({ terminated: { exitCode: 0, reason: 'Completed' } }))).toBeUndefined();
  });

  it('leads to the page of an app that runs, and to no script', () => {
    const app = (phase: string, url: string) => appAddress(object({ status: { phase, url } }));
    expect(app('Running', 'http://127.0.0.1:6482/a/')).toBe('http://127.0.0.1:6482/a/');
    expect(app('Pending', 'http://127.0.0.1:6482/a/')).toBeUndefined();
    expect(app('Running', 'javascript:alert(1)')).toBeUndefined();
    expect(appAddress(object({}))).toBeUndefined();
  });

  it('fills its columns, also of an object that is nearly empty', () => {
    const texts = (page: keyof typeof columns, each: AnyObject) =>
      columns[page].map(({ text }) => text(each));
    expect(
      texts('volumes', object({ spec: { resources: { requests: { storage: '1Gi' } } } })),
    ).toEqual(['-', '-', '1.00Gi']);
    expect(texts('configmaps', object({ data: { a: 1 }, binaryData: { b: 2 } }))).toEqual(['2']);
    expect(texts('pods', object({}))).toEqual(['0 / 0', '-', '0', '-']);
  });
});
