import { afterEach, describe, expect, it, vi } from 'vitest';
import { submit } from './submit';

const text = `# why
apiVersion: g.dev/v1
kind: Job
metadata:
  name: a
spec:
  list:
  - size: 3
  colour: red
`;

const resources = {
  resources: [
    { name: 'jobs/status', kind: 'Job', namespaced: true },
    { name: 'jobs', kind: 'Job', namespaced: true },
    { name: 'wholes', kind: 'Whole', namespaced: false },
  ],
};

/** A server that answers each POST by `answer`; what it was asked. */
function serve(answer: (path: string) => { status: number; body: object }): string[] {
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (path: string, { method }: { method: string }) => {
    asked.push(`${method} ${path}`);
    const { status, body } = method === 'GET' ? { status: 200, body: resources } : answer(path);
    return new Response(JSON.stringify(body), { status });
  });
  return asked;
}

afterEach(() => vi.unstubAllGlobals());

const made = { kind: 'Job', metadata: { name: 'a' } };

describe('sending a text', () => {
  it('asks first, then makes it', async () => {
    const asked = serve(() => ({ status: 201, body: made }));
    expect(await submit(text, 'team')).toEqual({ created: [made] });
    expect(asked).toEqual([
      'GET /apis/g.dev/v1',
      'POST /apis/g.dev/v1/namespaces/team/jobs?dryRun=All&fieldValidation=Strict',
      'POST /apis/g.dev/v1/namespaces/team/jobs?fieldValidation=Strict',
    ]);
  });

  it('makes it where the text says, and what belongs to no project nowhere', async () => {
    const asked = serve(() => ({ status: 201, body: made }));
    await submit(`${text.replace('name: a', 'name: a\n  namespace: other')}`, 'team');
    await submit('apiVersion: g.dev/v1\nkind: Whole\n', 'team');
    expect(asked[1]).toContain('/namespaces/other/jobs?dryRun');
    expect(asked[4]).toContain('/apis/g.dev/v1/wholes?dryRun');
  });

  it('makes what others are made of first, and not again what says the same', async () => {
    const map = (says: string) =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: s}\ndata: {x: ${says}}\n`;
    const asked: string[] = [];
    vi.stubGlobal('fetch', async (path: string, { method }: { method: string }) => {
      if (method === 'POST') asked.push(path.replace(/.*\/|&.*/g, ''));
      const body = path.includes('metadata.name')
        ? { items: [{ metadata: { name: 's' }, data: { x: 'old' } }] }
        : { resources: [...resources.resources, { name: 'configmaps', kind: 'ConfigMap' }] };
      return new Response(JSON.stringify(method === 'GET' ? body : made), { status: 200 });
    });
    await submit(`${text}---\n${map('new')}`, 'team');
    expect(asked).toEqual([
      'configmaps?dryRun=All',
      'jobs?dryRun=All',
      'configmaps?fieldValidation=Strict',
      'jobs?fieldValidation=Strict',
    ]);
    asked.length = 0;
    expect(await submit(`${text}---\n${map('old')}`, 'team')).toEqual({ created: [made] });
    expect(asked).toEqual(['jobs?dryRun=All', 'jobs?fieldValidation=Strict']);
  });

  it('draws a refusal on its lines and makes nothing', async () => {
    const causes = [
      { field: 'spec.list[0].size', message: 'too small' },
      { field: 'spec.other', message: 'Required value' },
    ];
    const body = { message: 'Job "a" is invalid', code: 422, details: { causes } };
    const asked = serve(() => ({ status: 422, body }));
    expect(await submit(text, 'team')).toMatchObject({
      refusal: 'Job "a" is invalid',
      problems: [
        { line: 8, message: 'too small' },
        { line: 6, message: 'Required value' },
      ],
      causes,
    });
    expect(asked.filter((each) => each.startsWith('POST'))).toHaveLength(1);
  });

  it('finds the line of an unknown field', async () => {
    const message = 'strict decoding error: unknown field "spec.colour"';
    serve(() => ({ status: 400, body: { message, code: 400 } }));
    const outcome = await submit(text, 'team');
    expect(outcome).toMatchObject({ problems: [{ line: 9 }], refusal: message });
  });

  it('sends nothing of a text that cannot be read or names no kind', async () => {
    const asked = serve(() => ({ status: 201, body: made }));
    for (const wrong of ['a: "', '', '# nothing', 'a: 1', text.replace('kind: Job', 'kind: No')]) {
      expect(await submit(wrong, 'team')).toMatchObject({ problems: [{ severity: 'error' }] });
    }
    expect(asked.every((each) => each.startsWith('GET'))).toBe(true);
  });

  it('says what was made when a later object is refused', async () => {
    let posts = 0;
    serve(() => {
      posts++;
      return posts < 4
        ? { status: 201, body: made }
        : { status: 409, body: { message: 'exists', code: 409 } };
    });
    expect(await submit(`${text}---\n${text}`, 'team')).toMatchObject({
      refusal: 'Created before this: Job a.\nexists',
      made: true,
    });
  });
});
