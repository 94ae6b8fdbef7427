// Letters that are not what they look like, made visible. No screen in here.

export interface Piece {
  text: string;
  /** It stands for a letter that would not be seen, or would turn the others round. */
  mark: boolean;
}

// Controls; marks, embeddings, overrides and isolates of the writing direction; what has no width; line ends of
// Unicode; tags. Joiners stay: emoji and Persian need them.
const hidden =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find
  /[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/u;

function name(letter: string): string {
  const code = letter.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

/** The text as it can be shown: what would hide or turn is spelled out. */
export function pieces(text: string): Piece[] {
  if (!hidden.test(text)) return text === '' ? [] : [{ text, mark: false }];
  const found: Piece[] = [];
  for (const part of text.split(new RegExp(`(${hidden.source})`, 'u'))) {
    if (part === '') continue;
    found.push(hidden.test(part) ? { text: name(part), mark: true } : { text: part, mark: false });
  }
  return found;
}
