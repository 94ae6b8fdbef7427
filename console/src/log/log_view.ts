import { type Change, maxLines } from './lines';

/**
 * The lines on the screen: one element a line, filled by text nodes only, since a log is the word of strangers.
 * It keeps to the end while the user is at the end, and stays where the user has scrolled to.
 */
export class LogView {
  #box: HTMLElement;
  #unfinished: HTMLElement | undefined;
  #atEnd = true;
  #onAtEnd: (atEnd: boolean) => void;

  constructor(box: HTMLElement, onAtEnd: (atEnd: boolean) => void) {
    this.#box = box;
    this.#onAtEnd = onAtEnd;
    box.addEventListener('scroll', () => {
      // A few pixels of slack: zoomed pages have broken pixel positions.
      this.#setAtEnd(box.scrollTop + box.clientHeight >= box.scrollHeight - 8);
    });
  }

  show({ cleared, added, unfinished }: Change): void {
    const place = this.#box.scrollTop;
    if (cleared) this.#box.replaceChildren();
    const fresh = document.createDocumentFragment();
    this.#unfinished?.remove();
    this.#unfinished = undefined;
    for (const line of added) fresh.append(lineElement(line));
    if (unfinished) {
      this.#unfinished = lineElement(unfinished);
      fresh.append(this.#unfinished);
    }
    this.#box.append(fresh);
    while (this.#box.childElementCount > maxLines) this.#box.firstElementChild?.remove();
    if (this.#atEnd) this.#box.scrollTop = this.#box.scrollHeight;
    else if (cleared) this.#box.scrollTop = place;
  }

  toEnd(): void {
    this.#box.scrollTop = this.#box.scrollHeight;
    this.#setAtEnd(true);
  }

  #setAtEnd(atEnd: boolean): void {
    if (atEnd !== this.#atEnd) this.#onAtEnd(atEnd);
    this.#atEnd = atEnd;
  }
}

function lineElement(text: string): HTMLElement {
  const line = document.createElement('div');
  line.append(document.createTextNode(text));
  return line;
}
