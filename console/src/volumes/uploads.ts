// The uploads of this tab, one after the other. They go on while the user looks at other pages.
import { type Signal, signal } from '@preact/signals';
import { encodeName, fileHref, joined } from './files';
import { type Sending, sendFile } from './files_api';
import { volumeWords } from './words';

export type UploadState = 'waiting' | 'sending' | 'done' | 'failed' | 'stopped';

export interface Upload {
  number: number;
  /** Whose files. */
  root: string;
  folder: string;
  name: string;
  total: number;
  sent: Signal<number>;
  state: Signal<UploadState>;
  /** What the server said no with. */
  problem: Signal<string>;
  stop: () => void;
}

interface Waiting {
  upload: Upload;
  file: Blob;
  overwrite: boolean;
}

export const uploads = signal<readonly Upload[]>([]);
/** Counts the uploads that have ended: a folder that is looked at is read again then. */
export const landed = signal(0);

let count = 0;
let busy = false;
const queue: Waiting[] = [];

export function upload(
  root: string,
  folder: string,
  files: readonly File[],
  overwrite: boolean,
): void {
  for (const file of files) {
    const made: Upload = {
      number: ++count,
      root,
      folder,
      name: file.name,
      total: file.size,
      sent: signal(0),
      state: signal<UploadState>('waiting'),
      problem: signal(''),
      stop: () => {
        made.state.value = 'stopped';
      },
    };
    uploads.value = [...uploads.peek(), made];
    queue.push({ upload: made, file, overwrite });
  }
  if (!busy) void work();
}

export function forgetEnded(): void {
  uploads.value = uploads
    .peek()
    .filter(({ state }) => state.peek() === 'waiting' || state.peek() === 'sending');
}

async function work(): Promise<void> {
  busy = true;
  for (let next = queue.shift(); next; next = queue.shift()) {
    if (next.upload.state.peek() !== 'stopped') await send(next);
    landed.value++;
  }
  busy = false;
}

async function send({ upload, file, overwrite }: Waiting): Promise<void> {
  const path = joined(upload.folder, encodeName(upload.name));
  const href = fileHref(upload.root, path, overwrite ? '&overwrite=true' : '');
  const sending: Sending = sendFile(
    href,
    file,
    (bytes) => {
      upload.sent.value = bytes;
    },
    volumeWords.peek().broken,
  );
  upload.stop = sending.stop;
  upload.state.value = 'sending';
  try {
    await sending.done;
    upload.sent.value = upload.total;
    upload.state.value = 'done';
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    upload.problem.value = message;
    upload.state.value = message ? 'failed' : 'stopped';
  }
}
