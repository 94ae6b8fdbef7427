// A command as one line, quoted as a shell does, and as the list of words that the API has.

export type Split = { words: string[] } | { unclosed: string };

const escapes: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '\\': '\\',
  "'": "'",
  '"': '"',
};

interface Piece {
  text: string;
  /** Where it goes on behind the closing quote; undefined: there is none. */
  next: number | undefined;
}

function singleQuoted(line: string, from: number): Piece {
  const end = line.indexOf("'", from);
  return end < 0 ? { text: '', next: undefined } : { text: line.slice(from, end), next: end + 1 };
}

function escaped(line: string, from: number, quote: string, decode: (sign: string) => string) {
  let text = '';
  for (let at = from; at < line.length; at++) {
    const sign = line[at] as string;
    if (sign === quote) return { text, next: at + 1 };
    if (sign === '\\' && at + 1 < line.length) {
      at++;
      text += decode(line[at] as string);
    } else {
      text += sign;
    }
  }
  return { text, next: undefined };
}

function doubleQuoted(line: string, from: number): Piece {
  return escaped(line, from, '"', (sign) => ('"\\$`'.includes(sign) ? sign : `\\${sign}`));
}

/** $'…', in which \n is a new line: a field of one line has no other way to say it. */
function ansiQuoted(line: string, from: number): Piece {
  return escaped(line, from, "'", (sign) => escapes[sign] ?? `\\${sign}`);
}

function piece(line: string, at: number): Piece & { quote: string } {
  if (line.startsWith("$'", at)) return { ...ansiQuoted(line, at + 2), quote: "$'" };
  const sign = line[at] as string;
  if (sign === "'") return { ...singleQuoted(line, at + 1), quote: sign };
  if (sign === '"') return { ...doubleQuoted(line, at + 1), quote: sign };
  if (sign === '\\' && at + 1 < line.length) {
    return { text: line[at + 1] as string, next: at + 2, quote: '' };
  }
  return { text: sign, next: at + 1, quote: '' };
}

/** Variables, pipes and the like are no matter of ours: no shell runs the command. */
export function splitWords(line: string): Split {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < line.length; ) {
    if (/\s/.test(line[at] as string)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      at++;
      continue;
    }
    const { text, next, quote } = piece(line, at);
    if (next === undefined) return { unclosed: quote };
    word = (word ?? '') + text;
    at = next;
  }
  if (word !== undefined) words.push(word);
  return { words };
}

function quoted(word: string): string {
  if (/[\n\t\r]/.test(word)) {
    const inside = word.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n');
    return `$'${inside.replaceAll('\t', '\\t').replaceAll('\r', '\\r')}'`;
  }
  if (word !== '' && !/[\s"'\\]/.test(word)) return word;
  if (!word.includes("'") && /["\\$`]/.test(word)) return `'${word}'`;
  return `"${word.replace(/["\\$`]/g, '\\$&')}"`;
}

export function joinWords(words: readonly string[]): string {
  return words.map(quoted).join(' ');
}
