/** As many lines as the page keeps, and asks for: so a log that begins anew after a loss misses nothing. */
export const maxLines = 5000;
const maxLineLength = 10_000;

// Colours come with a later log view; until then their codes must not stand in the text.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
const escapes = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])/g;

/** What a terminal would show of the line: a carriage return begins it anew, as progress bars do. */
export function visible(line: string): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  return text.slice(text.lastIndexOf('\r') + 1).replace(escapes, '');
}

export interface Change {
  /** Drop what was shown before. */
  cleared: boolean;
  added: string[];
  /** The last line, as far as it has come; empty when the text ends with a line break. */
  unfinished: string;
}

/**
 * Makes lines of text that arrives in any pieces, and holds them until the screen takes them. Bounded whatever
 * comes: a hidden tab takes nothing for hours, and a program may print for ever without a line break.
 */
export class LineBuffer {
  #cleared = false;
  #lines: string[] = [];
  #rest = '';

  clear(): void {
    this.#cleared = true;
    this.#lines = [];
    this.#rest = '';
  }

  append(text: string): void {
    const pieces = (this.#rest + text).split('\n');
    this.#rest = pieces.pop() ?? '';
    for (const piece of pieces) this.#lines.push(visible(piece));
    // What a carriage return has overwritten never shows again. One at the very end may be half of "\r\n".
    const overwritten = this.#rest.lastIndexOf('\r', this.#rest.length - 2);
    if (overwritten >= 0) this.#rest = this.#rest.slice(overwritten + 1);
    while (this.#rest.length > maxLineLength) {
      this.#lines.push(visible(this.#rest.slice(0, maxLineLength)));
      this.#rest = this.#rest.slice(maxLineLength);
    }
    if (this.#lines.length > maxLines) this.#lines.splice(0, this.#lines.length - maxLines);
  }

  take(): Change {
    const change = { cleared: this.#cleared, added: this.#lines, unfinished: visible(this.#rest) };
    this.#cleared = false;
    this.#lines = [];
    return change;
  }
}
