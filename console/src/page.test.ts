// The small pure parts of the frame: address, language, time.
import { describe, expect, it } from 'vitest';
import { shownTheme } from './frame/theme';
import { preferredLanguage } from './i18n';
import {
  aboutHref,
  createJobHref,
  jobHref,
  listHref,
  makeHref,
  objectHref,
  overviewTabHref,
  parseRoute,
} from './route';
import { ago, lasting } from './time';
import { en } from './words/en';
import { zh } from './words/zh';

describe('route', () => {
  it('reads what it writes', () => {
    const kind = 'mpijobs.kubeflow.org';
    const job = { page: 'job', namespace: 'default', kind, name: 'ddp-mnist-x7k2p' };
    expect(parseRoute(jobHref('default', kind, 'ddp-mnist-x7k2p'))).toEqual({
      ...job,
      tab: 'facts',
    });
    for (const tab of ['replicas', 'logs'] as const) {
      expect(parseRoute(jobHref('default', kind, 'ddp-mnist-x7k2p', tab))).toEqual({ ...job, tab });
    }
    expect(parseRoute(listHref('pods'))).toEqual({ page: 'list', list: 'pods' });
    expect(parseRoute(aboutHref)).toEqual({ page: 'about' });
    expect(parseRoute(overviewTabHref('quota'))).toEqual({ page: 'overview', tab: 'quota' });
  });

  it('reads the addresses of objects', () => {
    const pod = { page: 'object', list: 'pods', namespace: 'default', name: 'web-0' };
    expect(parseRoute(objectHref('pods', 'default', 'web-0'))).toEqual({ ...pod, tab: '' });
    expect(parseRoute(objectHref('pods', 'default', 'web-0', 'containers'))).toEqual({
      ...pod,
      tab: 'containers',
    });
    const node = { page: 'object', list: 'nodes', namespace: '', name: 'local', tab: '' };
    expect(parseRoute(objectHref('nodes', '', 'local'))).toEqual(node);
    expect(parseRoute(makeHref('notebooks'))).toEqual({ page: 'make', list: 'notebooks' });
    // Queues are not made here, so one may be called that.
    expect(parseRoute(objectHref('queues', '', 'create'))).toMatchObject({ page: 'object' });
    for (const hash of ['#/pods', '#/pods/default', '#/pods//x', '#/pods/a/b/c/d']) {
      expect(parseRoute(hash)).toEqual({ page: 'list', list: 'pods' });
    }
  });

  it('leads to the form of a kind, and to a clone', () => {
    const form = { page: 'create job', kind: 'MPIJob' };
    expect(parseRoute(createJobHref('MPIJob'))).toEqual(form);
    const clone = createJobHref('MPIJob', { namespace: 'team', name: 'hvd' });
    expect(clone).toBe('#/jobs/create/MPIJob?from=team%2Fhvd');
    expect(parseRoute(clone)).toEqual(form);
    // A job of a project that is called so.
    expect(parseRoute('#/jobs/create/mnist')).toMatchObject({ page: 'job', name: 'mnist' });
  });

  it('takes a job whose kind is not said', () => {
    expect(parseRoute('#/jobs/default/mnist')).toEqual({
      page: 'job',
      namespace: 'default',
      kind: '',
      name: 'mnist',
      tab: 'facts',
    });
  });

  it('says when an address names nothing', () => {
    for (const hash of ['#/nonsense', '#/constructor', '#/%']) {
      expect(parseRoute(hash)).toEqual({ page: 'unknown' });
    }
  });

  it('opens on the overview', () => {
    for (const hash of ['', '#', '#/', '#/overview/nonsense', '#/?x=1']) {
      expect(parseRoute(hash)).toEqual({ page: 'overview', tab: 'resources' });
    }
  });

  it('shows the list of jobs for half a job', () => {
    for (const hash of [
      '#/jobs',
      '#/jobs?phase=Running',
      '#/jobs/default',
      '#/jobs/default/',
      '#/jobs/a/b/c/d/e',
    ]) {
      expect(parseRoute(hash)).toEqual({ page: 'jobs' });
    }
  });
});

describe('theme', () => {
  it('is what was chosen, else what the system says', () => {
    expect(shownTheme('auto', true)).toBe('dark');
    expect(shownTheme('auto', false)).toBe('light');
    expect(shownTheme('light', true)).toBe('light');
  });
});

describe('language', () => {
  it('is the remembered one, else the browser’s first that we speak', () => {
    expect(preferredLanguage('en', ['zh-CN'])).toBe('en');
    expect(preferredLanguage(null, ['fr', 'zh-Hans-CN', 'en'])).toBe('zh');
    expect(preferredLanguage('xx', ['fr'])).toBe('en');
  });
});

describe('ago', () => {
  const second = 1000;
  const hour = 3600 * second;
  it.each([
    [-5 * second, 'a few seconds ago', '几秒前'],
    [42 * second, '42 seconds ago', '42 秒前'],
    [60 * second, '1 minute ago', '1 分钟前'],
    [17 * hour, '17 hours ago', '17 小时前'],
    [49 * hour, '2 days ago', '2 天前'],
  ])('%i ms', (milliseconds, english, chinese) => {
    expect(ago(milliseconds, en)).toBe(english);
    expect(ago(milliseconds, zh)).toBe(chinese);
  });
});

describe('lasting', () => {
  it.each([
    [-1, '0 s', '0 秒'],
    [61_000, '1 min 1 s', '1 分 1 秒'],
    [3_720_000, '1 h 2 min', '1 小时 2 分'],
  ])('%i ms', (milliseconds, english, chinese) => {
    expect(lasting(milliseconds, en)).toBe(english);
    expect(lasting(milliseconds, zh)).toBe(chinese);
  });
});
