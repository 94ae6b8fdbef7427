/**
 * xterm.js writes its sizes and colours into <style> elements, which the Content-Security-Policy forbids. While
 * `open` runs it gets elements instead that pass their text on to style sheets of the object model, which are
 * allowed. Returns what takes those sheets away again.
 */
export function withAdoptedStyles(open: () => void): () => void {
  const sheets: CSSStyleSheet[] = [];
  const create = document.createElement;
  document.createElement = function (this: Document, name: string, ...rest: unknown[]) {
    if (name !== 'style') {
      return Reflect.apply(create, this, [name, ...rest]) as HTMLElement;
    }
    const sheet = new CSSStyleSheet();
    sheets.push(sheet);
    document.adoptedStyleSheets.push(sheet);
    const stand: HTMLElement = Reflect.apply(create, this, ['span']) as HTMLElement;
    stand.hidden = true;
    Object.defineProperty(stand, 'textContent', {
      set: (text: string) => sheet.replaceSync(text),
    });
    return stand;
  } as typeof document.createElement;
  try {
    open();
  } finally {
    document.createElement = create;
  }
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter(
      (sheet) => !sheets.includes(sheet),
    );
  };
}
