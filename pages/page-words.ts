import type { Language } from '../postal/stationery.ts';

/**
 * The beginning of a page's script: `words` in the language that the link names, otherwise in the first of
 * the browser's languages that we have. Sets the text of every element with `data-word`.
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
