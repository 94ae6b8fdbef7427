// Colours of terminals: what SGR codes say, as runs of text with a style. No screen in here.

/** 0–15 by the palette of the page; others as `#rrggbb`. */
export type Colour = number | string;

export interface Style {
  fg?: Colour;
  bg?: Colour;
  bold?: true;
  dim?: true;
  italic?: true;
  underline?: true;
  strike?: true;
  inverse?: true;
}

export interface Run {
  text: string;
  style: Style;
}

export const plain: Style = Object.freeze({});

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find
const colourCode = /\x1b\[([0-9;:]*)m/g;
// Everything that a terminal obeys: control sequences, titles and links, single escapes.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find
const escapes = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])/g;

/** Leaves of all that a terminal obeys only the colours: a log must not move the cursor or name the window. */
export function onlyColours(text: string): string {
  if (!text.includes('\x1b')) return text;
  const isColour = (code: string) => /^\[[0-9;:]*m$/.test(code.slice(1));
  return text.replace(escapes, (code) => (isColour(code) ? code : ''));
}

export function withoutColours(text: string): string {
  return text.includes('\x1b') ? text.replace(escapes, '') : text;
}

const levels = [0, 95, 135, 175, 215, 255];

function hex(red: number, green: number, blue: number): string {
  const two = (part: number) => Math.min(255, part).toString(16).padStart(2, '0');
  return `#${two(red)}${two(green)}${two(blue)}`;
}

/** One of the 256: 16 of the palette, a cube of 6×6×6, and 24 greys. */
export function indexed(index: number): Colour {
  if (index < 16) return index;
  if (index >= 232) {
    const grey = 8 + (Math.min(index, 255) - 232) * 10;
    return hex(grey, grey, grey);
  }
  const place = index - 16;
  const level = (divisor: number) => levels[Math.floor(place / divisor) % 6] ?? 0;
  return hex(level(36), level(6), level(1));
}

/** What follows 38 or 48: `5;N` or `2;R;G;B`. Returns the colour and how many codes it took. */
function extended(codes: readonly number[]): { colour: Colour | undefined; taken: number } {
  const [form, a = 0, b = 0, c = 0] = codes;
  if (form === 5) return { colour: codes.length > 1 ? indexed(a) : undefined, taken: 2 };
  if (form === 2) return { colour: codes.length > 3 ? hex(a, b, c) : undefined, taken: 4 };
  return { colour: undefined, taken: codes.length };
}

const flags: Record<number, keyof Style> = {
  1: 'bold',
  2: 'dim',
  3: 'italic',
  4: 'underline',
  7: 'inverse',
  9: 'strike',
};
const endings: Record<number, (keyof Style)[]> = {
  22: ['bold', 'dim'],
  23: ['italic'],
  24: ['underline'],
  27: ['inverse'],
  29: ['strike'],
  39: ['fg'],
  49: ['bg'],
};

/** A colour that is not understood leaves the style as it was. */
function setColour(style: Style, place: 'fg' | 'bg', colour: Colour | undefined): void {
  if (colour !== undefined) style[place] = colour;
}

function obey(style: Style, text: string): Style {
  // `4:3` is a curly line; without its second half it is a line. Colours may be parted by either sign.
  const codes = text
    .replace(/\b(4):\d+/g, '$1')
    .split(/[;:]/)
    .map(Number);
  let next: Style = { ...style };
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] ?? 0;
    const flag = flags[code];
    if (code === 0) next = {};
    else if (flag) Object.assign(next, { [flag]: true });
    else if (code >= 30 && code <= 37) next.fg = code - 30;
    else if (code >= 90 && code <= 97) next.fg = code - 90 + 8;
    else if (code >= 40 && code <= 47) next.bg = code - 40;
    else if (code >= 100 && code <= 107) next.bg = code - 100 + 8;
    else if (code === 38 || code === 48) {
      const { colour, taken } = extended(codes.slice(i + 1));
      setColour(next, code === 38 ? 'fg' : 'bg', colour);
      i += taken;
    } else for (const name of endings[code] ?? []) delete next[name];
  }
  return next;
}

/** The runs of a line that begins in the style `start`, and the style in which the next one begins. */
export function parseColours(text: string, start: Style = plain): { runs: Run[]; end: Style } {
  const runs: Run[] = [];
  let style = start;
  let from = 0;
  for (const code of text.matchAll(colourCode)) {
    if (code.index > from) runs.push({ text: text.slice(from, code.index), style });
    style = obey(style, code[1] ?? '');
    from = code.index + code[0].length;
  }
  if (from < text.length) runs.push({ text: text.slice(from), style });
  return { runs, end: Object.keys(style).length === 0 ? plain : style };
}
