import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { recall, remember } from './remembered';
import { en, type Words } from './words/en';

export const languages = { zh: '中文', en: 'English' } as const;
export type Language = keyof typeof languages;

export const language = signal<Language>('en');
/** The words of the chosen language. A component that reads `words.value` follows the switch. */
export const words = signal<Words>(en);

/** The words of a part that is loaded by itself: they come with it, and delay nobody else. */
export function wordsOf<T>(english: T, chinese: T): ReadonlySignal<T> {
  return computed(() => (language.value === 'zh' ? chinese : english));
}

/** What was chosen before, else what the browser asks for. */
export function preferredLanguage(
  stored: string | null,
  browserLanguages: readonly string[],
): Language {
  if (stored === 'zh' || stored === 'en') return stored;
  for (const tag of browserLanguages) {
    if (/^zh\b/i.test(tag)) return 'zh';
    if (/^en\b/i.test(tag)) return 'en';
  }
  return 'en';
}

async function use(chosen: Language): Promise<void> {
  // Chinese is a chunk of its own, so that nobody loads words that are not shown.
  const table = chosen === 'zh' ? (await import('./words/zh')).zh : en;
  language.value = chosen;
  words.value = table;
  document.documentElement.lang = chosen === 'zh' ? 'zh-CN' : 'en';
}

export async function startLanguage(): Promise<void> {
  await use(preferredLanguage(recall('language'), navigator.languages));
}

export async function chooseLanguage(chosen: Language): Promise<void> {
  await use(chosen);
  remember('language', chosen);
}
