import type { Language } from '../postal/stationery.ts';

/** Words by language. The English words define the table: a language that lacks one of them does not compile. */
export const inEachLanguage = <Words>(
  words: { en: Words } & Record<Exclude<Language, 'en'>, NoInfer<Words>>,
): Record<Language, Words> => words;
