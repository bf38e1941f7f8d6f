/** Prices of this installation, which replace those that come with the program from a day on. */
import { addDays } from '../ground/day.ts';
import type { ExchangeRateRow } from './exchange-rates.ts';
import { formatOf } from './paper.ts';
import { type PriceList, type PrintPriceRow, usualPrices } from './pricing.ts';
import { maxSheets, postage, type RateRow, rates, rateTableOf } from './rates.ts';
import { services } from './services.ts';
import type { ServiceId } from './types.ts';

type OwnPrices = {
  /** Tells this list from others. */
  name: string;
  exchangeRates: readonly ExchangeRateRow[];
  printPrices: readonly PrintPriceRow[];
  /** Rows of one service that are valid from the same day make one tariff, which ends with the next one. */
  postage: readonly RateRow[];
};

const earlier = (one: string | undefined, other: string): string =>
  one === undefined || one > other ? other : one;

/**
 * A tariff takes the letters that the service takes: what is accepted by the number of its sheets finds a price.
 * @throws RangeError
 */
const assertWhole = (service: ServiceId, from: string, rows: readonly RateRow[]): void => {
  const { country, envelope, maxSheets: wanted } = services[service];
  const format = formatOf(country);
  const table = rateTableOf(rows);
  const most = maxSheets(service, format, from, table);
  if (most !== wanted) {
    throw new RangeError(
      `postage of ${service} from ${from} carries ${most} sheets instead of ${wanted}`,
    );
  }
  const first = postage({ service, sheets: 1, format, on: from }, table)?.row.envelope;
  if (first !== envelope) {
    throw new RangeError(
      `postage of ${service} from ${from} puts one sheet into ${first} instead of ${envelope}`,
    );
  }
};

/** Of two rows for the same thing, nothing says which one counts. @throws RangeError */
const assertOnce = <T>(rows: readonly T[], nameOf: (row: T) => string): void => {
  const names = new Set<string>();
  for (const name of rows.map(nameOf)) {
    if (names.has(name)) throw new RangeError(`there are two rows for ${name}`);
    names.add(name);
  }
};

/** The tariffs of one service, each until the next. @throws RangeError */
const tariffsOf = (service: ServiceId, rows: readonly RateRow[]): RateRow[] => {
  const tariffs = [...Map.groupBy(rows, ({ validFrom }) => validFrom)].sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  return tariffs.flatMap(([from, own], at) => {
    assertWhole(service, from, own);
    const next = tariffs[at + 1]?.[0];
    return own.map((row) => (next === undefined ? row : { ...row, validTo: addDays(next, -1) }));
  });
};

/** @throws RangeError for a tariff that does not take all letters of its service */
const withOwnPostage = (postage: OwnPrices['postage']): RateRow[] => {
  assertOnce(
    postage,
    ({ service, validFrom, envelope, maxGrams }) =>
      `${service} from ${validFrom} in ${envelope} to ${maxGrams} g`,
  );
  const own = Map.groupBy(postage, ({ service }) => service);
  const usual = rates.flatMap((row): RateRow[] => {
    const from = own
      .get(row.service)
      ?.reduce((first, { validFrom }) => earlier(first, validFrom), '9999-12-31');
    if (from === undefined) return [row];
    return row.validFrom < from
      ? [{ ...row, validTo: earlier(row.validTo, addDays(from, -1)) }]
      : [];
  });
  return [...usual, ...[...own].flatMap(([service, rows]) => tariffsOf(service, rows))];
};

/** @throws RangeError for a first sheet that costs nothing, and two rows of one day */
const withOwnPrint = (own: readonly PrintPriceRow[]): PrintPriceRow[] => {
  assertOnce(own, ({ validFrom }) => `printing from ${validFrom}`);
  const free = own.find(({ firstSheetCents }) => firstSheetCents === 0n);
  if (free) {
    throw new RangeError(`the first sheet costs nothing from ${free.validFrom}; no letter is free`);
  }
  const newestFirst = own.toSorted((a, b) => (a.validFrom < b.validFrom ? 1 : -1));
  const from = newestFirst.at(-1)?.validFrom;
  const before = usualPrices.printPrices.filter(
    ({ validFrom }) => from === undefined || validFrom < from,
  );
  return [...newestFirst, ...before];
};

/** @throws RangeError for a rate that is there twice */
const withOwnRates = (own: readonly ExchangeRateRow[]): ExchangeRateRow[] => {
  assertOnce(own, ({ currency, at }) => `${currency} from ${at}`);
  const before = usualPrices.exchangeRates.filter(({ currency, at }) =>
    own.every((one) => one.currency !== currency || at < one.at),
  );
  return [...before, ...own];
};

/**
 * The prices of this installation.
 * @throws RangeError for a first sheet that costs nothing, a tariff that does not take all letters of its service, and
 * two rows for the same thing
 */
export const pricesWith = ({
  name,
  exchangeRates,
  printPrices,
  postage,
}: OwnPrices): PriceList => ({
  version: `${usualPrices.version}+${name}`,
  rates: rateTableOf(withOwnPostage(postage)),
  exchangeRates: withOwnRates(exchangeRates),
  printPrices: withOwnPrint(printPrices),
  services: usualPrices.services,
});
