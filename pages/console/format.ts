/** Amounts, days and times as the reader's language writes them. */
import { type Language, localeOf } from '../../postal/stationery.ts';
import { type Html, html } from '../html.ts';

const localeIn = (language: Language): string => localeOf(language, 'GB');

/** USD to the cent, or exactly where it has more digits. */
export const money = (amount: number, language: Language, currency = 'USD'): string =>
  new Intl.NumberFormat(localeIn(language), {
    style: 'currency',
    currency,
    maximumFractionDigits: 6,
    minimumFractionDigits: 2,
  }).format(amount);

/** A moment in UTC, to the minute; the whole of it in the title. */
export const moment = (at: string, language: Language): Html => {
  const shown = new Intl.DateTimeFormat(localeIn(language), {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  }).format(new Date(at));
  return html`<time datetime="${at}" title="${at}">${shown} UTC</time>`;
};

/** A day without a time. */
export const day = (date: string, language: Language): Html => {
  const shown = new Intl.DateTimeFormat(localeIn(language), {
    dateStyle: 'medium',
    timeZone: 'UTC',
  }).format(new Date(`${date}T00:00:00Z`));
  return html`<time datetime="${date}">${shown}</time>`;
};
