import { describe, expect, it } from 'vitest';
import type { LogState } from './log_stream';
import { summaryOf } from './log_summary';

const states = (...kinds: ('asked' | 'waiting' | 'following' | 'ended')[]): LogState[] =>
  kinds.map((kind) => ({ kind }));

describe('the summary of logs', () => {
  it('says that they are followed only while the view goes along', () => {
    expect(summaryOf(states('following', 'ended'), true)).toBe('following');
    expect(summaryOf(states('following', 'ended'), false)).toBe('resting');
  });

  it('says that they load until each has answered', () => {
    expect(summaryOf(states('following', 'asked'), true)).toBe('loading');
    expect(summaryOf(states('asked', 'ended'), false)).toBe('loading');
  });

  it('waits for those that have not begun, and ends with the last', () => {
    expect(summaryOf(states('waiting', 'ended'), true)).toBe('waiting');
    expect(summaryOf(states('ended', 'ended'), false)).toBe('ended');
    expect(summaryOf([{ kind: 'failed', message: 'gone' }], true)).toBe('');
  });
});
