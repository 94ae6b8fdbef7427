import { signal } from '@preact/signals';
import { recall, remember } from '../remembered';

export const themes = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** What the user has chosen; `auto` is what the system says. */
export const theme = signal<Theme>('auto');

/** An attribute of the document, since the Content-Security-Policy allows no style of ours in the page. */
export function shownTheme(chosen: Theme, systemIsDark: boolean): 'light' | 'dark' {
  if (chosen === 'auto') return systemIsDark ? 'dark' : 'light';
  return chosen;
}

export function startTheme(): void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const stored = recall('theme');
  theme.value = themes.find((known) => known === stored) ?? 'auto';
  const show = () => {
    document.documentElement.dataset.theme = shownTheme(theme.peek(), system.matches);
  };
  system.addEventListener('change', show);
  theme.subscribe(show);
}

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  remember('theme', chosen);
}
