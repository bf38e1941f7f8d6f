/** Refusals and findings in the language of the page. */
import type { LetterStatus } from '../../../contract/letter-status.ts';
import type { Language } from '../../../postal/stationery.ts';
import { labels } from '../../../presenters/labels.ts';
import { statusNames } from '../../../presenters/status-words.ts';
import { type Html, html } from '../../html.ts';
import { day, moment, money } from '../format.ts';
import { amountText, limitText } from '../limits/rule-text.ts';

type Known = Readonly<Record<string, unknown>>;
/** A sentence, or several from the most exact one to the most general one. */
type Sentences = string | readonly string[];

const waitUnits = [
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** A time to wait in the largest unit of which there are two at least, rounded up. */
const wait = (seconds: number, language: Language): string => {
  const [unit, ofOne] = waitUnits.find(([, one]) => seconds >= 2 * one) ?? ['second', 1];
  const style = { style: 'unit', unit, unitDisplay: 'long' } as const;
  return Math.ceil(seconds / ofOne).toLocaleString(language, style);
};

type Limit = Parameters<typeof limitText>[0];
/** How much of a limit is used. */
export type Usage = { used: number; limit: Limit };

type Show = (value: never, language: Language) => string | Html;

/** How a value stands in a sentence, by the kind that its place names. */
const kinds = {
  number: (value: number, language: Language) => value.toLocaleString(language),
  money: (value: number, language: Language) => money(value, language),
  day: (value: string, language: Language) => day(value, language),
  moment: (value: string, language: Language) => moment(value, language),
  wait,
  status: (value: LetterStatus, language: Language) => statusNames[language][value],
  limit: (value: Limit, language: Language) => limitText(value, language),
  usage: ({ used, limit }: Usage, language: Language) => amountText(used, limit, language),
} satisfies Record<string, Show>;

/** `{name:kind}`, or `{name}` for text. */
const place = /\{(\w+)(?::(\w+))?\}/;

const isKnown = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

const shown = (value: unknown, kind: string | undefined, language: Language): string | Html => {
  const show = kinds[kind as keyof typeof kinds] as Show | undefined;
  return show ? show(value as never, language) : String(value);
};

/** The sentence with its values; undefined where one of them is not known. */
const filled = (sentence: string, known: Known, language: Language): Html | undefined => {
  // Text, name, kind, text, name, kind, text.
  const [first = '', ...parts] = sentence.split(place);
  let said = html`${first}`;
  for (let at = 0; at < parts.length; at += 3) {
    const [name = '', kind, text = ''] = parts.slice(at, at + 3);
    const value = known[name];
    if (!isKnown(value)) return undefined;
    said = html`${said}${shown(value, kind, language)}${text}`;
  }
  return said;
};

/** The most exact sentence whose values are known. */
const exactOf = (sentences: Sentences, known: Known, language: Language): Html | undefined => {
  for (const sentence of [sentences].flat()) {
    const said = filled(sentence, known, language);
    if (said) return said;
  }
  return undefined;
};

/** The words of a table, by code. */
type Table = Readonly<Record<Language, Readonly<Record<string, Sentences>>>>;

/** For a code without words: the sentence of the service. */
const otherwise = (code: string, text: string, language: Language): Html => {
  const why = html`<span lang="en">${text}</span> <code>${code}</code>`;
  return language === 'en' ? why : html`${labels.otherReason[language]} ${why}`;
};

/** The first of the codes that has words. @param about.said the sentence of the service, in English */
export const say = (
  table: Table,
  codes: readonly [string, ...string[]],
  about: { known: Known; said: string; language: Language },
): Html => {
  const { known, said, language } = about;
  for (const code of codes) {
    const words = Object.hasOwn(table[language], code) ? table[language][code] : undefined;
    const found = words && exactOf(words, known, language);
    if (found) return found;
  }
  return otherwise(codes.at(-1) ?? '', said, language);
};
