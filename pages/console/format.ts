/** Amounts, days and times as the reader's language writes them. */
import { createBoundedMap } from '../../ground/bounded-map.ts';
import { formatDate, type Language, localeOf } from '../../postal/stationery.ts';
import { countryCodes } from '../../postal/types.ts';
import { type Html, html } from '../html.ts';

const localeIn = (language: Language): string => localeOf(language, 'GB');

/** More than the languages times the currencies and units that are in use. */
const mostKept = 64;

/** Making a formatter takes longer than making most pages, so that each is made once. */
const keptByLanguage = <T>(make: (language: Language, currency: string) => T) => {
  const kept = createBoundedMap<string, T>(mostKept);
  return (language: Language, currency = ''): T => {
    const name = `${language} ${currency}`;
    const known = kept.get(name) ?? make(language, currency);
    kept.set(name, known);
    return known;
  };
};

const moneyFormat = keptByLanguage(
  (language, currency) =>
    new Intl.NumberFormat(localeIn(language), {
      style: 'currency',
      currency,
      maximumFractionDigits: 6,
      minimumFractionDigits: 2,
    }),
);

/** USD to the cent, or exactly where it has more digits. */
export const money = (amount: number, language: Language, currency = 'USD'): string =>
  moneyFormat(language, currency).format(amount);

const percentFormat = keptByLanguage(
  (language) =>
    new Intl.NumberFormat(localeIn(language), { style: 'percent', maximumFractionDigits: 2 }),
);

/** A part of one: 0.2 is 20 %. */
export const percent = (part: number, language: Language): string =>
  percentFormat(language).format(part);

const sizeFormat = keptByLanguage(
  (language, unit) =>
    new Intl.NumberFormat(localeIn(language), { style: 'unit', unit, maximumFractionDigits: 1 }),
);

const sizeUnits = [
  ['gigabyte', 1e9],
  ['megabyte', 1e6],
] as const;

/** Of a file or of many, in the largest of kB, MB and GB of which there is one. */
export const size = (bytes: number, language: Language): string => {
  const [unit, ofOne] = sizeUnits.find(([, one]) => bytes >= one) ?? ['kilobyte', 1e3];
  return sizeFormat(language, unit).format(bytes / ofOne);
};

/** A name of the API. It breaks behind its underscores. */
export const apiName = (name: string): Html => {
  const [first = '', ...others] = name.split('_');
  return others.reduce((before, word) => html`${before}_<wbr>${word}`, html`${first}`);
};

/** A moment to the minute, by the clock of a time zone; in UTC the whole of it in the title. */
export const moment = (at: string, language: Language, timeZone = 'UTC'): Html => {
  const style = { dateStyle: 'medium', timeStyle: 'short', timeZone } as const;
  const shown = formatDate(new Date(at), localeIn(language), style);
  return html`<time datetime="${at}" title="${at}">${shown} ${timeZone}</time>`;
};

const dayStyle = { dateStyle: 'medium', timeZone: 'UTC' } as const;

/** A day without a time. */
export const day = (date: string, language: Language): Html => {
  const shown = formatDate(new Date(`${date}T00:00:00Z`), localeIn(language), dayStyle);
  return html`<time datetime="${date}">${shown}</time>`;
};

/** The countries that letters go to, for a list to choose from. */
export const countryNames = keptByLanguage((language) => {
  const names = new Intl.DisplayNames(language, { type: 'region' });
  return countryCodes.map((value) => ({ value, label: names.of(value) ?? value }));
});
