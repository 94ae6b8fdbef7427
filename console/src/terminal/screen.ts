import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import { withAdoptedStyles } from './style_shim';
import '@xterm/xterm/css/xterm.css';

/** Each of these can be read on black: the defaults' blue cannot. */
const theme = {
  background: '#0c0e12',
  foreground: '#e6e8ec',
  black: '#5c6370',
  red: '#ff7b72',
  green: '#5fd38a',
  yellow: '#e5c07b',
  blue: '#7cb7ff',
  magenta: '#d89bf0',
  cyan: '#56d4dd',
  white: '#e6e8ec',
  brightBlack: '#9aa1ae',
  brightRed: '#ffa198',
  brightGreen: '#8be9ae',
  brightYellow: '#f0d58c',
  brightBlue: '#a5cdff',
  brightMagenta: '#e6bff7',
  brightCyan: '#8ae8ee',
  brightWhite: '#ffffff',
};

/** The terminal in the page, as large as its box. It knows nothing of sockets. */
export class Screen {
  onInput: (bytes: Uint8Array) => void = () => {};
  onResize: (columns: number, rows: number) => void = () => {};

  #terminal: Terminal;
  #removeStyles: () => void;
  #observer: ResizeObserver;

  constructor(box: HTMLElement) {
    this.#terminal = new Terminal({
      theme,
      fontSize: 14,
      fontFamily:
        'ui-monospace, "SF Mono", Consolas, "DejaVu Sans Mono", "Noto Sans Mono CJK SC", monospace',
      scrollback: 5000,
    });
    const fit = new FitAddon();
    this.#terminal.loadAddon(fit);
    this.#removeStyles = withAdoptedStyles(() => this.#terminal.open(box));
    const encoder = new TextEncoder();
    this.#terminal.onData((text) => this.onInput(encoder.encode(text)));
    // Mouse reports of programs that ask for them: bytes, not text.
    this.#terminal.onBinary((text) =>
      this.onInput(Uint8Array.from(text, (letter) => letter.charCodeAt(0))),
    );
    this.#terminal.onResize(({ cols, rows }) => this.onResize(cols, rows));
    this.#observer = new ResizeObserver(() => fit.fit());
    this.#observer.observe(box);
    fit.fit();
  }

  get size(): { columns: number; rows: number } {
    return { columns: this.#terminal.cols, rows: this.#terminal.rows };
  }

  show(bytes: Uint8Array, taken: () => void): void {
    this.#terminal.write(bytes, taken);
  }

  clear(): void {
    this.#terminal.reset();
  }

  focus(): void {
    this.#terminal.focus();
  }

  close(): void {
    this.#observer.disconnect();
    this.#terminal.dispose();
    this.#removeStyles();
  }
}
