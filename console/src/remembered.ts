/** What this browser remembers of its user. Storage may be forbidden: then it lasts as long as the tab. */
export function recall(name: string): string | null {
  try {
    return localStorage.getItem(`trainyard.${name}`);
  } catch {
    return null;
  }
}

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(`trainyard.${name}`, value);
  } catch {
    // As above.
  }
}
