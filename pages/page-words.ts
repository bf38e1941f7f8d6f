import { errorCodes, mayPass } from '../contract/errors.ts';
import { type Language, languages } from '../postal/stationery.ts';
import { labels } from '../presenters/labels.ts';

type Words = Record<string, string>;

const withRefusals = (words: Words, language: Language): Words => ({
  ...words,
  error_later: labels.tryLater[language],
  error_other: labels.otherReason[language],
});

const inEveryLanguage = (all: Record<Language, Words>) =>
  Object.fromEntries(languages.map((one) => [one, withRefusals(all[one], one)]));

const passing = Object.keys(errorCodes).filter(mayPass);

/**
 * The beginning of a page's script: `words` in the language that the link names, otherwise in the first of
 * the browser's languages that we have. Sets the text of every element with `data-word`. `showRefusal` says why the
 * service refused: in the words `error_<code>`, otherwise with the code and the sentence of the service.
 */
export const wordsScript = (all: Record<Language, Words>): string => `'use strict';
const everyLanguage = ${JSON.stringify(inEveryLanguage(all), null, 2)};
const language = [new URLSearchParams(location.search).get('language'), ...navigator.languages]
  .map((tag) => (tag ?? '').slice(0, 2).toLowerCase())
  .find((tag) => Object.hasOwn(everyLanguage, tag)) ?? 'en';
const words = everyLanguage[language];
document.documentElement.lang = language;
for (const element of document.querySelectorAll('[data-word]')) {
  element.textContent = words[element.dataset.word];
}
const passing = new Set(${JSON.stringify(passing)});
const showRefusal = (element, { code, detail }) => {
  const said = words['error_' + code] ?? (passing.has(code) ? words.error_later : undefined);
  element.textContent = said ?? words.error_other + ' ';
  if (said !== undefined) return;
  const why = document.createElement('span');
  why.lang = 'en';
  why.textContent = detail;
  const name = document.createElement('code');
  name.textContent = code;
  element.append(why, ' ', name);
};
`;
