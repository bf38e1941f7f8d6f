import { type Cents, type MicroUsd, microOfCents } from '../money/amounts.ts';
import type { PriceLines } from '../money/charge.ts';
import {
  convert,
  currencyOf,
  type ExchangeRate,
  type ExchangeRateRow,
  exchangeRate,
  exchangeRates,
} from './exchange-rates.ts';
import { intentClasses } from './intents.ts';
import { isLargeEnvelope, sheetsOf } from './paper.ts';
import { postage, type RateRow, type RateTable, usualRates } from './rates.ts';
import { allServices, type Offered, services } from './services.ts';
import type { Address, CountryCode, Intent, PageFormat, ServiceId } from './types.ts';

export { sheetsOf } from './paper.ts';

/**
 * The day of the newest row and a counter. Changes with any rate row, exchange rate, print price,
 * surcharge or commission.
 */
export const pricingVersion = '2026-11-01.2';

/** Our own price list, USD cents; not a fact of any operator. Days as in the rate rows. */
export type PrintPriceRow = {
  validFrom: string;
  /** The first sheet with its small envelope, printed on one or both sides. */
  firstSheetCents: Cents;
  furtherSheetCents: Cents;
  /** On top, for each page of a letter in colour. */
  colorPageCents: Cents;
  /** On top, for an envelope that takes the sheets unfolded. */
  largeEnvelopeCents: Cents;
  source: string;
};

/** Newest first. */
export const printPrices: readonly PrintPriceRow[] = [
  {
    validFrom: '2025-01-01',
    firstSheetCents: 45n,
    furtherSheetCents: 8n,
    colorPageCents: 12n,
    largeEnvelopeCents: 35n,
    source: 'own price list',
  },
];

/** The tables that prices are made of. */
export type PriceList = {
  /** Changes with each of them. */
  version: string;
  rates: RateTable;
  exchangeRates: readonly ExchangeRateRow[];
  /** Newest first. */
  printPrices: readonly PrintPriceRow[];
  /** Others are in `rates` as well, and no letter goes by them. */
  services: Offered;
};

/** The prices that come with the program. */
export const usualPrices: PriceList = {
  version: pricingVersion,
  rates: usualRates,
  exchangeRates,
  printPrices,
  services: allServices,
};

/** Price before commission, in whole cents; `subtotalMicro` is the sum of the three lines. */
export type Subtotal = PriceLines & {
  subtotalMicro: MicroUsd;
  /** The postage as the operator charges it, and the rate that made USD of it. */
  local: { currency: string; postageCents: Cents; rate: string; rateAt: string };
  /** The rate row that gave the postage: envelope, source, whether it is an estimate. */
  row: RateRow;
  pricingVersion: string;
};

/**
 * `sheets` counts a cover sheet if there is one; `on` is the day of posting, `YYYY-MM-DD`. `fx` is a
 * rate locked by a quote, or the operator's own; absent, the table's of that day.
 */
export type PriceInput = {
  service: ServiceId;
  intent: Intent;
  country: CountryCode;
  pages: number;
  sheets: number;
  color: boolean;
  duplex: boolean;
  format: PageFormat;
  on: string;
  fx?: ExchangeRate;
  /** The recipient, normalised; absent: one on the mainland. */
  to?: Pick<Address, 'postalCode'> | undefined;
};

/**
 * Price before commission, a pure function of its input. Each line is rounded once, the subtotal is
 * the sum of the rounded lines. `undefined`: the service does not take that many sheets.
 * @throws RangeError for a service of another country, or fewer sheets than the pages need
 */
export function priceSubtotal(input: PriceInput, prices: PriceList): Subtotal | undefined {
  const { service, country, on } = input;
  if (services[service].country !== country) {
    throw new RangeError(`${service} is not a service of ${country}`);
  }
  if (!(input.sheets >= sheetsOf(input.pages, input.duplex))) {
    throw new RangeError(`${input.pages} pages do not fit on ${input.sheets} sheets`);
  }
  const { sheets, format, to } = input;
  const charged = postage({ service, sheets, format, on, to }, prices.rates);
  if (charged === undefined) return undefined;
  const fx = input.fx ?? exchangeRate(currencyOf(country), on, prices.exchangeRates);
  const postageMicro = microOfCents(convert(charged.cents, fx.rate));
  const printMicro = microOfCents(priceOfPrint(input, charged.row, prices));
  const surchargeMicro = microOfCents(intentClasses[input.intent].surchargeCents);
  return {
    postageMicro,
    printMicro,
    surchargeMicro,
    subtotalMicro: postageMicro + printMicro + surchargeMicro,
    local: {
      currency: charged.currency,
      postageCents: charged.cents,
      rate: fx.rate,
      rateAt: fx.at,
    },
    row: charged.row,
    pricingVersion: prices.version,
  };
}

function priceOfPrint(
  { sheets, pages, color, on }: PriceInput,
  row: RateRow,
  { printPrices }: PriceList,
): Cents {
  const prices = printPrices.find((one) => one.validFrom <= on);
  if (prices === undefined) throw new RangeError(`no print prices on ${on}`);
  const paper = prices.firstSheetCents + prices.furtherSheetCents * BigInt(sheets - 1);
  const ink = color ? prices.colorPageCents * BigInt(pages) : 0n;
  return paper + ink + (isLargeEnvelope(row.envelope) ? prices.largeEnvelopeCents : 0n);
}
