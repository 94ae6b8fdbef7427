import { request } from './login';

/** The answer of the API to what it does not do. */
export interface Status {
  message?: string;
  reason?: string;
  code?: number;
  /** Which fields it is about, where it is about some. */
  details?: { causes?: { field?: string; message?: string; reason?: string }[] };
}

/** What the server said no to, in its own words. */
export class Refused extends Error {
  readonly status: Status;

  constructor(message: string, status: Status = {}) {
    super(message);
    this.status = status;
  }
}

/** Asks the API for what no watch tells: one answer, or `Refused` with the server's message. */
export async function ask<T>(method: string, path: string, body?: object): Promise<T> {
  return JSON.parse(await askText(method, path, body)) as T;
}

/** The same for answers that are no objects, such as logs. */
export async function askText(method: string, path: string, body?: object): Promise<string> {
  return (await askAnswer(method, path, body)).text;
}

/** The same with what the server says beside the text. */
export async function askAnswer(
  method: string,
  path: string,
  body?: object,
): Promise<{ text: string; headers: Headers }> {
  const patch = method === 'PATCH';
  const answer = await request(path, {
    method,
    ...(body && {
      body: JSON.stringify(body),
      headers: { 'Content-Type': patch ? 'application/merge-patch+json' : 'application/json' },
    }),
  });
  const text = await answer.text();
  if (!answer.ok) {
    const status = statusOf(text);
    throw new Refused(status.message || `${answer.status} ${answer.statusText}`, status);
  }
  return { text, headers: answer.headers };
}

function statusOf(text: string): Status {
  try {
    return JSON.parse(text) as Status;
  } catch {
    return { message: text.slice(0, 500) };
  }
}
