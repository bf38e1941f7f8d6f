/** The file of `PRICE_LIST`: exchange rates, prices of printing and postage of this installation. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv } from 'ajv';
import type { Static } from 'typebox';
import { withoutByteOrderMark } from '../../ground/byte-order-mark.ts';
import { canonicalJson } from '../../ground/canonical-json.ts';
import { isDay } from '../../ground/day.ts';
import { Type } from '../../ground/type.ts';
import { fieldErrors } from '../../http/field-errors.ts';
import { convert, currencyOf, exchangeRate, rateCurrencies } from '../../postal/exchange-rates.ts';
import { pricesWith } from '../../postal/own-prices.ts';
import { envelopes } from '../../postal/paper.ts';
import type { PriceList } from '../../postal/pricing.ts';
import { ratesOn } from '../../postal/rates.ts';
import { services } from '../../postal/services.ts';
import { serviceIds } from '../../postal/types.ts';
import { type Parser, RuleBroken } from './config-parsers.ts';

const Day = Type.String({ pattern: '^20[2-9]\\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$' });
/** An amount with two places, as text: JSON has no decimals. */
const Amount = Type.String({ pattern: '^(0|[1-9]\\d{0,3})\\.\\d{2}$' });
const Source = Type.String({ minLength: 1, maxLength: 200 });
const estimate = Type.Optional(Type.Boolean());

const PriceFile = Type.Exact({
  exchange_rates: Type.Optional(
    Type.Array(
      Type.Exact({
        currency: Type.Literals(rateCurrencies),
        from: Day,
        /** For one of the currency. */
        usd: Type.String({ pattern: '^\\d{1,4}\\.\\d{1,12}$' }),
        source: Source,
      }),
      { maxItems: 10_000 },
    ),
  ),
  /** In USD. */
  print_prices: Type.Optional(
    Type.Array(
      Type.Exact({
        from: Day,
        first_sheet: Amount,
        further_sheet: Amount,
        color_page: Amount,
        large_envelope: Amount,
        source: Source,
      }),
      { maxItems: 1_000 },
    ),
  ),
  /** In the currency of the postal operator. */
  postage: Type.Optional(
    Type.Array(
      Type.Exact({
        service: Type.Literals(serviceIds),
        from: Day,
        envelope: Type.Literals(envelopes),
        max_grams: Type.Integer({ minimum: 1, maximum: 10_000 }),
        max_sheets: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
        amount: Amount,
        estimate,
        source: Source,
      }),
      { maxItems: 10_000 },
    ),
  ),
});
type PriceFile = Static<typeof PriceFile>;

const hundredths = (amount: string): bigint => BigInt(amount.replace('.', ''));

const fail = (rule: string): never => {
  throw new RuleBroken(rule);
};

const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return fail(`must be the path of a JSON file (${(error as NodeJS.ErrnoException).code})`);
  }
};

const contentOf = (text: string): PriceFile => {
  let content: unknown;
  try {
    content = JSON.parse(withoutByteOrderMark(text));
  } catch {
    return fail('must be the path of a JSON file (it is not JSON)');
  }
  const isPriceFile = new Ajv({ allErrors: true, verbose: true }).compile<PriceFile>(PriceFile);
  if (isPriceFile(content)) return content;
  const [first] = fieldErrors(isPriceFile.errors ?? [], { prefix: '', top: 'The file' });
  return fail(`must be a price list: ${[first?.detail, first?.hint ?? []].flat().join(' ')}`);
};

const existingDay = (from: string): string =>
  isDay(from) ? from : fail(`must be a price list: ${from} is not a day`);

/** @throws RangeError for a rate of zero */
const rateOf = (usd: string): string => {
  convert(1n, usd);
  return usd;
};

const priceListOf = (file: PriceFile): PriceList =>
  pricesWith({
    name: createHash('sha256').update(canonicalJson(file)).digest('hex').slice(0, 12),
    exchangeRates: (file.exchange_rates ?? []).map(({ currency, from, usd, source }) => ({
      currency,
      at: existingDay(from),
      rate: rateOf(usd),
      source,
      estimate: false,
    })),
    printPrices: (file.print_prices ?? []).map((row) => ({
      validFrom: existingDay(row.from),
      firstSheetCents: hundredths(row.first_sheet),
      furtherSheetCents: hundredths(row.further_sheet),
      colorPageCents: hundredths(row.color_page),
      largeEnvelopeCents: hundredths(row.large_envelope),
      source: row.source,
    })),
    postage: (file.postage ?? []).map((row) => ({
      service: row.service,
      validFrom: existingDay(row.from),
      envelope: row.envelope,
      maxGrams: row.max_grams,
      ...(row.max_sheets === undefined ? {} : { maxSheets: row.max_sheets }),
      cents: hundredths(row.amount),
      currency: currencyOf(services[row.service].country),
      source: row.source,
      estimate: row.estimate ?? false,
    })),
  });

/** The prices of this installation, from the text of a file. @throws RuleBroken */
export const priceListIn = (text: string): PriceList => {
  const file = contentOf(text);
  try {
    return priceListOf(file);
  } catch (error) {
    if (error instanceof RangeError) return fail(`must be a price list: ${error.message}`);
    throw error;
  }
};

/** The path of a file → the prices of this installation, and where they come from. */
export const priceList: Parser<{ path: string; prices: PriceList }> = (path) => ({
  path: resolve(path),
  prices: priceListIn(textOf(path)),
});

const amountOf = (cents: bigint): string => {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
};

/** The prices of a day, `YYYY-MM-DD`, in the form of the file. */
export const priceFileOf = (prices: PriceList, day: string): PriceFile => {
  const printing = prices.printPrices.find(({ validFrom }) => validFrom <= day);
  return {
    exchange_rates: rateCurrencies.map((currency) => {
      const { at, rate, source } = exchangeRate(currency, day, prices.exchangeRates);
      return { currency, from: at, usd: rate, source };
    }),
    print_prices: printing
      ? [
          {
            from: printing.validFrom,
            first_sheet: amountOf(printing.firstSheetCents),
            further_sheet: amountOf(printing.furtherSheetCents),
            color_page: amountOf(printing.colorPageCents),
            large_envelope: amountOf(printing.largeEnvelopeCents),
            source: printing.source,
          },
        ]
      : [],
    postage: serviceIds.flatMap((service) =>
      ratesOn(service, day, prices.rates).map((row) => ({
        service,
        from: row.validFrom,
        envelope: row.envelope,
        max_grams: row.maxGrams,
        ...(row.maxSheets === undefined ? {} : { max_sheets: row.maxSheets }),
        amount: amountOf(row.cents),
        estimate: row.estimate,
        source: row.source,
      })),
    ),
  };
};
