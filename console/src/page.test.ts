// The small pure parts of the frame: address, language, time.
import { describe, expect, it } from 'vitest';
import { preferredLanguage } from './i18n';
import { jobHref, parseRoute } from './route';
import { ago } from './time';
import { en } from './words/en';
import { zh } from './words/zh';

describe('route', () => {
  it('reads what it writes', () => {
    expect(parseRoute(jobHref('default', 'ddp-mnist-x7k2p'))).toEqual({
      page: 'job',
      namespace: 'default',
      name: 'ddp-mnist-x7k2p',
    });
  });

  it('shows the list for anything else', () => {
    for (const hash of ['', '#', '#/', '#/jobs', '#/jobs/default', '#/jobs/a/b/c', '#/jobs/%/x']) {
      expect(parseRoute(hash)).toEqual({ page: 'jobs' });
    }
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
