import { afterEach, expect, it, vi } from 'vitest';
import { refusalOf } from './access';
import { connection } from './live/tab';

const answer = (body: object) => new Response(JSON.stringify(body));
const exec = (namespace: string) => ({
  verb: 'create',
  group: '',
  resource: 'pods/exec',
  namespace,
});

afterEach(() => void vi.unstubAllGlobals());

it('asks once, and says why not in the server’s words or its own', async () => {
  const fetch = vi.fn(async () => answer({ status: { allowed: false, reason: 'ask an admin' } }));
  vi.stubGlobal('fetch', fetch);
  expect(refusalOf(exec('a')), 'until the server has answered').toBe('');
  await vi.waitFor(() => expect(refusalOf(exec('a'))).toBe('ask an admin'));
  expect(fetch).toHaveBeenCalledTimes(1);
  const [, { body }] = fetch.mock.calls[0] as unknown as [string, { body: string }];
  expect(JSON.parse(body).spec.resourceAttributes).toEqual({
    verb: 'create',
    group: '',
    resource: 'pods',
    subresource: 'exec',
    namespace: 'a',
  });
});

it('has words of its own where the server gives no reason', async () => {
  vi.stubGlobal('fetch', async () => answer({ status: { allowed: false } }));
  refusalOf(exec('b'));
  await vi.waitFor(() =>
    expect(refusalOf(exec('b'))).toBe('You may not create pods/exec in project b.'),
  );
});

it('leaves it to the deed itself where the question fails', async () => {
  vi.stubGlobal('fetch', async () => {
    throw new Error('unreachable');
  });
  refusalOf(exec('c'));
  await Promise.resolve();
  expect(refusalOf(exec('c'))).toBe('');
});

it('says that nothing can be done while the server is out of reach', () => {
  const before = connection.state.value;
  connection.state.value = { kind: 'lost', since: new Date(0) };
  expect(refusalOf(exec('d'))).toMatch(/connection to the server is lost/);
  connection.state.value = before;
  vi.stubGlobal('fetch', async () => answer({ status: { allowed: true } }));
  expect(refusalOf(exec('d'))).toBe('');
});
