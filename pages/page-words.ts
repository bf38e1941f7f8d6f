import type { Language } from '../postal/stationery.ts';

/**
 * What a page's script begins with: `words`, in the language that the link names or else the first of the
 * browser's that we have, and the texts of every element with `data-word` set in it.
 */
export const wordsScript = (all: Record<Language, Record<string, string>>): string => `'use strict';
const everyLanguage = ${JSON.stringify(all, null, 2)};
const language = [new URLSearchParams(location.search).get('language'), ...navigator.languages]
  .map((tag) => (tag ?? '').slice(0, 2).toLowerCase())
  .find((tag) => Object.hasOwn(everyLanguage, tag)) ?? 'en';
const words = everyLanguage[language];
document.documentElement.lang = language;
for (const element of document.querySelectorAll('[data-word]')) {
  element.textContent = words[element.dataset.word];
}
`;
