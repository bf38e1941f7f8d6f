/** Text of a page that is English although the page is in another language. */
import { readdirSync } from 'node:fs';
import type { Page } from 'puppeteer-core';

const folder = new URL('../../pages/', import.meta.url);

const textsIn = (words: unknown): string[] => {
  if (typeof words === 'string') return [words];
  return words === null || typeof words !== 'object' ? [] : Object.values(words).flatMap(textsIn);
};

/** Every text of the tables of words, by language. */
const readTables = async (): Promise<Record<string, Set<string>>> => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const modules = await Promise.all(
    files
      .filter((name) => name.endsWith('words.ts'))
      .map((name): Promise<object> => import(new URL(name, folder).href)),
  );
  const tables = modules
    .flatMap((one): unknown[] => Object.values(one))
    .filter((one): one is Record<string, unknown> => Object.keys(Object(one)).includes('fr'));
  return Object.fromEntries(
    ['en', 'de', 'fr'].map((language) => [
      language,
      new Set(tables.flatMap((table) => textsIn(table[language]))),
    ]),
  );
};

/** The texts that a person reads or hears, except those marked as English, code, and typed text. */
const readTexts = `(() => {
  const own = (element) => element.closest('body [lang="en"], code, textarea, script, style') === null;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts = [document.title];
  while (walker.nextNode()) if (own(walker.currentNode.parentElement)) texts.push(walker.currentNode.data);
  for (const name of ['aria-label', 'title', 'placeholder', 'alt', 'data-label'])
    for (const element of document.querySelectorAll('body [' + name + ']'))
      if (own(element)) texts.push(element.getAttribute(name));
  return texts.map((text) => text.replace(/\\s+/g, ' ').trim()).filter((text) => text !== '');
})()`;

/** Words that neither German nor French has. */
const englishWords = /\b(?:the|this|is|are|was|were|not|with|and|your|of|has|have)\b/i;

export const createEnglishOn = async () => {
  const tables = await readTables();
  return async (page: Page, language: string): Promise<string[]> => {
    if (language === 'en') return [];
    const texts = (await page.evaluate(readTexts)) as string[];
    return texts.filter(
      (text) =>
        !tables[language]?.has(text) && (tables.en?.has(text) === true || englishWords.test(text)),
    );
  };
};
