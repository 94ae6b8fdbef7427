// Long refusals of the server, cut to what people read. No screen in here.

/** The expression behind a rule that is spelled out before it. */
const expression = /,? *regex used for validation is '(?:[^']|'(?![),]|$))*'/g;

export function brief(text: string): string {
  return text.replace(expression, '').replaceAll(' ()', '');
}

/** For a place right below the field, where everybody sees the value itself. */
export function briefAtField(text: string): string {
  return brief(text).replace(/^Invalid value: (?:"(?:[^"\\]|\\.)*"|[^\s:]+): /, '');
}
