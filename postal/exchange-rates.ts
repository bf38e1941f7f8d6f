import type { Cents } from '../money/amounts.ts';
import { type Country, countries } from './countries.ts';
import type { CountryCode } from './types.ts';

/** Currencies that operators charge in. The wallet is in USD. */
export type Currency = Country['currency'];

/** Currency of a country's postal operator. */
export const currencyOf = (country: CountryCode): Currency => countries[country].currency;

/** The currencies that have a rate. */
export const rateCurrencies = ['EUR', 'GBP', 'CAD'] as const satisfies readonly Currency[];

/** USD for one unit of `currency`, from day `at` until the next row. */
export type ExchangeRateRow = {
  currency: (typeof rateCurrencies)[number];
  at: string;
  rate: string;
  source: string;
  estimate: boolean;
};

/** A rate as it goes into a quote and an event. `at` is `YYYY-MM-DD`: judge staleness by it. */
export type ExchangeRate = { rate: string; at: string; source: string };

const indicative = 'indicative mid rate, set by hand; operators of the service replace it';

/** Oldest first. Estimates all: an operator of the service appends rows of its own source. */
export const exchangeRates: readonly ExchangeRateRow[] = [
  { currency: 'EUR', at: '2025-07-01', rate: '1.17', source: indicative, estimate: true },
  { currency: 'GBP', at: '2025-07-01', rate: '1.36', source: indicative, estimate: true },
  { currency: 'CAD', at: '2025-07-01', rate: '0.73', source: indicative, estimate: true },
  { currency: 'EUR', at: '2026-11-01', rate: '1.16', source: indicative, estimate: true },
  { currency: 'GBP', at: '2026-11-01', rate: '1.33', source: indicative, estimate: true },
  { currency: 'CAD', at: '2026-11-01', rate: '0.72', source: indicative, estimate: true },
];

/**
 * The rate to USD that holds on day `on` (`YYYY-MM-DD`): the newest row not after it.
 * @throws RangeError if there is none: a price is refused, not guessed
 */
export function exchangeRate(
  currency: Currency,
  on: string,
  rows: readonly ExchangeRateRow[],
): ExchangeRate {
  if (currency === 'USD') return { rate: '1', at: on, source: 'identity' };
  let newest: ExchangeRateRow | undefined;
  for (const row of rows) {
    if (row.currency !== currency || row.at > on) continue;
    if (newest === undefined || row.at >= newest.at) newest = row;
  }
  if (newest === undefined) throw new RangeError(`no exchange rate for ${currency} on ${on}`);
  return { rate: newest.rate, at: newest.at, source: newest.source };
}

const decimal = /^(\d{1,9})(?:\.(\d{1,12}))?$/;

/**
 * `cents × rate`, exact, rounded half-up to cents once.
 * @throws RangeError for negative cents, or a rate that is not a positive decimal string such as "1.16"
 */
export function convert(cents: Cents, rate: string): Cents {
  if (cents < 0n) throw new RangeError(`cannot convert negative cents ${cents}`);
  if (rate === '1') return cents;
  const match = decimal.exec(rate);
  const fraction = match?.[2] ?? '';
  const numerator = match === null ? 0n : BigInt(`${match[1]}${fraction}`);
  if (numerator === 0n) throw new RangeError(`exchange rate "${rate}" is not a positive decimal`);
  const denominator = 10n ** BigInt(fraction.length);
  return (2n * cents * numerator + denominator) / (2n * denominator);
}
