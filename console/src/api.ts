/** What the server said no to, in its own words. */
export class Refused extends Error {}

/** Asks the API for what no watch tells: one answer, or `Refused` with the server's message. */
export async function ask<T>(method: string, path: string, body?: object): Promise<T> {
  const patch = method === 'PATCH';
  const answer = await fetch(path, {
    method,
    cache: 'no-store',
    ...(body && {
      body: JSON.stringify(body),
      headers: { 'Content-Type': patch ? 'application/merge-patch+json' : 'application/json' },
    }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Refused(messageOf(text) || `${answer.status} ${answer.statusText}`);
  return JSON.parse(text) as T;
}

function messageOf(text: string): string {
  try {
    return String((JSON.parse(text) as { message?: unknown }).message ?? '');
  } catch {
    return text.slice(0, 500);
  }
}
