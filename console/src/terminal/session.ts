import { signal } from '@preact/signals';
import { openSocket } from '../login';
import {
  type CommandEnd,
  channel,
  endOf,
  isCounted,
  message,
  sizeMessage,
  subprotocols,
  takenMessage,
} from './channels';

export type SessionState =
  | { kind: 'connecting' }
  | { kind: 'open' }
  /** `undefined`: the connection went without a word. */
  | { kind: 'over'; end: CommandEnd | undefined };

interface Screen {
  /** `taken` is called when the bytes are drawn. */
  show(bytes: Uint8Array, taken: () => void): void;
}

/** Far below what the server lets be on its way, so that the flow never stops by itself. */
const tellAfter = 64 * 1024;

/**
 * A shell in a container, as long as its socket lives.
 *
 *   connecting ──> open ──> over
 *        └──────────────────> over
 */
export class Session {
  readonly state = signal<SessionState>({ kind: 'connecting' });

  #socket: WebSocket;
  #screen: Screen;
  #size: Uint8Array<ArrayBuffer> | undefined;
  /** Shown, and the server does not know it yet. */
  #untold = 0;

  constructor(path: string, screen: Screen) {
    this.#screen = screen;
    this.#socket = openSocket(path, subprotocols);
    this.#socket.binaryType = 'arraybuffer';
    this.#socket.onmessage = ({ data }) => this.#receive(new Uint8Array(data as ArrayBuffer));
    this.#socket.onopen = () => {
      if (this.#size) this.#socket.send(this.#size);
    };
    this.#socket.onclose = () => this.#over(undefined);
  }

  write(bytes: Uint8Array): void {
    this.#send(message(channel.stdin, bytes));
  }

  resize(columns: number, rows: number): void {
    this.#size = sizeMessage(columns, rows);
    this.#send(this.#size);
  }

  /** Ends the shell: the server hangs up on it. */
  close(): void {
    this.#socket.onclose = null;
    this.#socket.close();
  }

  #send(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(bytes);
  }

  #receive(whole: Uint8Array): void {
    const bytes = whole.subarray(1);
    switch (whole[0]) {
      case channel.stdout:
      case channel.stderr:
        if (this.state.value.kind === 'connecting') this.state.value = { kind: 'open' };
        this.#screen.show(bytes, () => this.#taken(bytes.length));
        break;
      case channel.error:
        this.#over(endOf(new TextDecoder().decode(bytes)));
        break;
    }
  }

  /** Not for each piece: a shell that echoes keys would be answered twice as often as it speaks. */
  #taken(bytes: number): void {
    this.#untold += bytes;
    if (this.#untold < tellAfter || !isCounted(this.#socket.protocol)) return;
    this.#send(takenMessage(this.#untold));
    this.#untold = 0;
  }

  #over(end: CommandEnd | undefined): void {
    if (this.state.value.kind !== 'over') this.state.value = { kind: 'over', end };
  }
}
