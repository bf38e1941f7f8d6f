import { decimalOf, type MicroUsd, wholeCents } from '../../money/amounts.ts';
import type { Language } from '../../postal/stationery.ts';

const locales: Record<Language, string> = { en: 'en-US', de: 'de-DE', fr: 'fr-FR' };

const formatIn = (language: Language, currency: string): Intl.NumberFormat =>
  new Intl.NumberFormat(locales[language], { style: 'currency', currency });

/** Dollars as the language writes them, in cents, rounded towards zero. */
export const dollarsIn = (language: Language, micro: MicroUsd): string =>
  formatIn(language, 'USD').format(decimalOf(wholeCents(micro)));

/** An amount of a card payment. `minor`: cents of the currency. */
export const amountIn = (language: Language, minor: number, currency: string): string =>
  formatIn(language, currency).format(minor / 100);
