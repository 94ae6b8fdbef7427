import { chooseLanguage, type Language, language, languages, words } from '../i18n';
import { overviewHref } from '../route';
import { Account } from './account';
import { chooseTheme, type Theme, theme, themes } from './theme';

function LanguageSwitch() {
  return (
    <label>
      <span class="hidden">{words.value.language}</span>
      <span aria-hidden="true">文A</span>
      <select
        value={language.value}
        onChange={(event) => void chooseLanguage(event.currentTarget.value as Language)}
      >
        {Object.entries(languages).map(([code, own]) => (
          <option key={code} value={code} lang={code}>
            {own}
          </option>
        ))}
      </select>
    </label>
  );
}

function ThemeSwitch() {
  const t = words.value;
  return (
    <label>
      <span class="hidden">{t.theme}</span>
      <span aria-hidden="true">◐</span>
      <select
        value={theme.value}
        onChange={(event) => chooseTheme(event.currentTarget.value as Theme)}
      >
        {themes.map((each) => (
          <option key={each} value={each}>
            {t.themes[each]}
          </option>
        ))}
      </select>
    </label>
  );
}

/** In a tab of its own: who reads about a form has it open. */
function HelpLink() {
  const t = words.value;
  return (
    <a class="help" href={`/docs/${language.value}/`} target="_blank" rel="noopener" title={t.help}>
      <span aria-hidden="true">?</span>
      <span class="hidden">{t.help}</span>
    </a>
  );
}

export function TopBar() {
  return (
    <header class="top">
      <a class="brand" href={overviewHref}>
        {words.value.title}
      </a>
      <LanguageSwitch />
      <ThemeSwitch />
      <HelpLink />
      <Account />
    </header>
  );
}
