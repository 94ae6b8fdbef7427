// Commands in containers as the API carries them: the first byte of a message names its stream. No socket in here.

/** The counted one first: it lets the server wait for a page that is slower than the command. */
export const subprotocols = ['v5.channel.trainyard.dev', 'v5.channel.k8s.io'];
export const isCounted = (subprotocol: string) => subprotocol === subprotocols[0];

export const channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, taken: 5 } as const;

export function message(stream: number, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(bytes.length + 1);
  whole[0] = stream;
  whole.set(bytes, 1);
  return whole;
}

export function sizeMessage(columns: number, rows: number): Uint8Array<ArrayBuffer> {
  const text = JSON.stringify({ Width: columns, Height: rows });
  return message(channel.resize, new TextEncoder().encode(text));
}

/** Says that so many bytes of output were shown. */
export function takenMessage(bytes: number): Uint8Array<ArrayBuffer> {
  return message(channel.taken, new TextEncoder().encode(String(bytes)));
}

export interface CommandEnd {
  exitCode: number;
  /** Why it could not run, in the server's words; empty when it simply ended. */
  message: string;
}

interface Status {
  status?: string;
  reason?: string;
  message?: string;
  details?: { causes?: { reason?: string; message?: string }[] };
}

/** What the last message says of the command's end. */
export function endOf(text: string): CommandEnd {
  let said: Status;
  try {
    said = JSON.parse(text) as Status;
  } catch {
    return { exitCode: -1, message: text };
  }
  if (said.status === 'Success') return { exitCode: 0, message: '' };
  const cause = said.details?.causes?.find(({ reason }) => reason === 'ExitCode');
  if (cause) return { exitCode: Number(cause.message), message: '' };
  return { exitCode: -1, message: said.message ?? text };
}

export const shells = ['bash', 'sh'] as const;
export type Shell = (typeof shells)[number];

/** Exit code of a shell that was told to become a program that is not there. */
export const notFound = 127;

/** Without a UTF-8 locale a shell takes Chinese letters apart into bytes; one that the image has set stays. */
function shellCommand(shell: Shell): string[] {
  const utf8 =
    'case "$LC_ALL$LC_CTYPE$LANG" in *[Uu][Tt][Ff]*8*) ;; *) export LC_CTYPE=C.UTF-8;; esac';
  const script = `export TERM=xterm-256color; ${utf8}; exec ${shell}`;
  return ['sh', '-c', script];
}

/** Where a shell in that container is asked for. */
export function execPath(namespace: string, pod: string, container: string, shell: Shell): string {
  const query = new URLSearchParams({ container, stdin: 'true', stdout: 'true', tty: 'true' });
  for (const word of shellCommand(shell)) query.append('command', word);
  const place = `namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}`;
  return `/api/v1/${place}/exec?${query}`;
}
