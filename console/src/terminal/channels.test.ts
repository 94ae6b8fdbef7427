import { describe, expect, it } from 'vitest';
import { channel, endOf, execPath, message, sizeMessage, takenMessage } from './channels';

describe('messages', () => {
  it('begin with their stream', () => {
    expect([...message(channel.stdin, new TextEncoder().encode('ls'))]).toEqual([0, 108, 115]);
    expect(new TextDecoder().decode(sizeMessage(80, 24))).toBe('\x04{"Width":80,"Height":24}');
    expect(new TextDecoder().decode(takenMessage(65536))).toBe('\x0565536');
  });
});

describe('the end of a command', () => {
  it('is success, or an exit code', () => {
    expect(endOf('{"metadata":{},"status":"Success"}')).toEqual({ exitCode: 0, message: '' });
    const failure = {
      status: 'Failure',
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: '127' }] },
    };
    expect(endOf(JSON.stringify(failure))).toEqual({ exitCode: 127, message: '' });
  });

  it('is told in the server’s words where there is no exit code', () => {
    expect(endOf('{"status":"Failure","message":"no such container"}').message).toBe(
      'no such container',
    );
    expect(endOf('not JSON').message).toBe('not JSON');
  });
});

describe('execPath', () => {
  it('asks for a terminal, with names that need quoting', () => {
    const url = new URL(execPath('a b', 'p/0', 'c&d', 'bash'), 'http://x');
    expect(url.pathname).toBe('/api/v1/namespaces/a%20b/pods/p%2F0/exec');
    expect(url.searchParams.get('container')).toBe('c&d');
    expect(url.searchParams.get('tty')).toBe('true');
    expect(url.searchParams.getAll('command').slice(0, 2)).toEqual(['sh', '-c']);
    expect(url.searchParams.getAll('command')[2]).toMatch(/exec bash$/);
  });
});
