// Light and dark, the language of the first page, and the search. The console remembers theme and language under the same
// names, and is of the same origin: what was chosen there holds here.
'use strict';

function recall(name) {
  try {
    return localStorage.getItem(`trainyard.${name}`);
  } catch {
    return null;
  }
}

function remember(name, value) {
  try {
    localStorage.setItem(`trainyard.${name}`, value);
  } catch {
    // Storage may be forbidden: then it lasts as long as the page.
  }
}

function showTheme(chosen) {
  const root = document.documentElement;
  if (chosen === 'light' || chosen === 'dark') root.dataset.theme = chosen;
  else delete root.dataset.theme;
}

function startTheme() {
  showTheme(recall('theme'));
  const button = document.querySelector('.theme');
  if (!button) return;
  button.hidden = false;
  button.addEventListener('click', () => {
    const shown =
      document.documentElement.dataset.theme ??
      (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
    const next = shown === 'dark' ? 'light' : 'dark';
    showTheme(next);
    remember('theme', next);
  });
}

function startLanguage() {
  if (!document.body.classList.contains('choose')) return;
  const stored = recall('language');
  const wanted = stored ?? navigator.languages.find((tag) => /^(zh|en)\b/i.test(tag)) ?? 'en';
  location.replace(`${wanted.slice(0, 2).toLowerCase() === 'zh' ? 'zh' : 'en'}/index.html`);
}

/** How well a part fits: all words must be in it, and those of its heading count most. */
function score(part, terms) {
  let sum = 0;
  for (const term of terms) {
    if (part.lowHead.includes(term)) sum += 10;
    else if (part.lowTitle.includes(term)) sum += 5;
    else if (part.lowText.includes(term)) sum += 1;
    else return 0;
  }
  return sum;
}

function snippet(part, terms) {
  const at = Math.min(...terms.map((term) => part.lowText.indexOf(term)).filter((place) => place >= 0), Infinity);
  const start = Number.isFinite(at) ? Math.max(0, at - 60) : 0;
  return `${start > 0 ? '…' : ''}${part.text.slice(start, start + 180)}…`;
}

function element(name, text, more = {}) {
  return Object.assign(document.createElement(name), { textContent: text }, more);
}

function startSearch() {
  const form = document.querySelector('form[role=search]');
  if (!form) return;
  const input = form.querySelector('input');
  const found = document.querySelector('.found');
  const article = document.querySelector('article');
  let parts;
  const load = async () => {
    if (parts) return;
    const answer = await fetch('search.json');
    parts = (await answer.json()).map((part) => ({
      ...part,
      lowHead: part.head.toLowerCase(),
      lowTitle: part.title.toLowerCase(),
      lowText: part.text.toLowerCase(),
    }));
  };
  const show = async () => {
    const terms = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    article.hidden = terms.length > 0;
    found.hidden = terms.length === 0;
    if (terms.length === 0) return;
    await load();
    const best = parts
      .map((part) => ({ part, points: score(part, terms) }))
      .filter(({ points }) => points > 0)
      .sort((a, b) => b.points - a.points)
      .slice(0, 30);
    const list = element('ul', '');
    for (const { part } of best) {
      const item = element('li', '');
      item.append(
        element('a', part.head === part.title ? part.title : `${part.title}: ${part.head}`, {
          href: `${part.page}.html#${part.at}`,
        }),
        element('p', snippet(part, terms)),
      );
      list.append(item);
    }
    found.replaceChildren(best.length > 0 ? list : element('p', '∅'));
  };
  // From a file there is nothing to fetch from: the box stays away.
  form.hidden = location.protocol === 'file:';
  input.addEventListener('input', () => void show());
  form.addEventListener('submit', (event) => event.preventDefault());
  found.addEventListener('click', (event) => {
    if (!(event.target instanceof HTMLAnchorElement)) return;
    input.value = '';
    article.hidden = false;
    found.hidden = true;
  });
}

startTheme();
startLanguage();
startSearch();
