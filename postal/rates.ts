import type { Cents } from '../money/amounts.ts';
import type { Currency } from './exchange-rates.ts';
import { overseasSupplement } from './french-overseas.ts';
import { type Envelope, envelopeGrams, sheetGrams } from './paper.ts';
import type { Address, PageFormat, ServiceId } from './types.ts';

/**
 * One price of one service for items up to a weight. Days are `YYYY-MM-DD`, `validTo` is the last
 * one; absent, the row is valid until further notice. `maxSheets` is a limit of the envelope where it
 * is tighter than the weight. `estimate: true`: the figure was not confirmed by a published tariff.
 */
export type RateRow = {
  service: ServiceId;
  validFrom: string;
  validTo?: string;
  envelope: Envelope;
  maxGrams: number;
  maxSheets?: number;
  cents: Cents;
  currency: Currency;
  source: string;
  estimate: boolean;
};

type Validity = Pick<RateRow, 'validFrom' | 'validTo'>;
type Band = Pick<RateRow, 'envelope' | 'maxGrams' | 'maxSheets'> & {
  cents: number;
  estimate?: true;
};

function table(
  service: ServiceId,
  currency: Currency,
  source: string,
  validity: Validity,
  bands: readonly Band[],
): RateRow[] {
  return bands.map(({ cents, estimate = false, ...band }) => ({
    service,
    ...validity,
    ...band,
    cents: BigInt(cents),
    currency,
    source,
    estimate,
  }));
}

/** The same bands with a fee on top (certified, registered, tracked). */
const plus = (fee: number, bands: readonly Band[]): Band[] =>
  bands.map((band) => ({ ...band, cents: band.cents + fee }));

const estimated = (bands: readonly Band[]): Band[] =>
  bands.map((band) => ({ ...band, estimate: true }));

// United States. Ounces are cut to whole grams (1 oz = 28.35 g). More than 6 sheets go flat, as the
// usual print houses do. Large envelopes: 1 oz about $1.63 and $0.27 for each further ounce, estimated.
const usSource =
  'USPS prices of 13 July 2025: $0.78 to 1 oz, $0.29 each further ounce; large envelopes estimated';
const usLetter: readonly Band[] = [
  { envelope: '#10', maxGrams: 28, cents: 78 },
  { envelope: '#10', maxGrams: 56, maxSheets: 6, cents: 107 },
  { envelope: 'flat', maxGrams: 56, cents: 190, estimate: true },
  { envelope: 'flat', maxGrams: 85, cents: 217, estimate: true },
  { envelope: 'flat', maxGrams: 113, cents: 244, estimate: true },
  { envelope: 'flat', maxGrams: 141, cents: 271, estimate: true },
  { envelope: 'flat', maxGrams: 170, cents: 298, estimate: true },
  { envelope: 'flat', maxGrams: 198, cents: 325, estimate: true },
  { envelope: 'flat', maxGrams: 226, cents: 352, estimate: true },
  { envelope: 'flat', maxGrams: 255, cents: 379, estimate: true },
  { envelope: 'flat', maxGrams: 283, cents: 406, estimate: true },
  { envelope: 'flat', maxGrams: 311, cents: 433, estimate: true },
  { envelope: 'flat', maxGrams: 340, cents: 460, estimate: true },
  { envelope: 'flat', maxGrams: 368, cents: 487, estimate: true },
];
const us2025: Validity = { validFrom: '2025-07-13' };
const usPriority: readonly Band[] = [
  { envelope: 'flat', maxGrams: 1000, maxSheets: 60, cents: 1195 },
];

// France. The prices to 20 g of 2025 are published; further bands keep the ratios of the 2023 tariff
// (verte 1.16 / 2.32 / 4.00 / 6.00; R1 4.83 / 5.52 / 6.23 / 7.62 / 8.95). The prices of 2026 are those of
// laposte.fr/tarif-lettre-verte as two public collections copied them (gruncellka/porto-data, 21 June 2026, and another
// one of 29 September 2026 to 250 g). Only the first has the further bands of R1, which stay estimates.
const frSource =
  'La Poste, prices to 20 g as published; further bands by the ratios of the 2023 tariff';
const frVerteSource = 'La Poste, lettre verte 2026 (laposte.fr/tarif-lettre-verte, June 2026)';
const frSuivieSource = 'La Poste, lettre verte suivie 2026 (laposte.fr, June 2026)';
const frR1Source = 'La Poste, R1 to 20 g as published; further bands as copied in June 2026';
const fr2025: Validity = { validFrom: '2025-01-01', validTo: '2025-12-31' };
const fr2026: Validity = { validFrom: '2026-01-01' };
const frVerte = (to20: number, to100: number, to250: number, to500: number): Band[] => [
  { envelope: 'DL', maxGrams: 20, cents: to20 },
  { envelope: 'DL', maxGrams: 100, maxSheets: 8, cents: to100 },
  { envelope: 'C4', maxGrams: 100, cents: to100 },
  { envelope: 'C4', maxGrams: 250, cents: to250 },
  { envelope: 'C4', maxGrams: 500, cents: to500 },
];
const frVerte2025 = frVerte(139, 278, 479, 719).map(
  (band): Band => (band.maxGrams > 20 ? { ...band, estimate: true } : band),
);
const frVerte2026 = frVerte(152, 310, 524, 741);
const frStickerSource = 'lettre verte + 0.50 for the tracking sticker (price of 2023), estimated';
const frR1 = (to20: number, to50: number, to100: number, to250: number, to500: number): Band[] => [
  { envelope: 'DL', maxGrams: 20, cents: to20 },
  { envelope: 'DL', maxGrams: 50, maxSheets: 8, cents: to50, estimate: true },
  { envelope: 'C4', maxGrams: 100, cents: to100, estimate: true },
  { envelope: 'C4', maxGrams: 250, cents: to250, estimate: true },
  { envelope: 'C4', maxGrams: 500, cents: to500, estimate: true },
];

// United Kingdom. Letters to 100 g go in C5; large letters, Signed For and Special Delivery of 2026
// were not found: estimated, at the upper end of what is known, so that postage is not undercharged.
const gbSource =
  'Royal Mail prices of 7 April 2026 for letters to 100 g; large letters (C4) estimated';
const gb2025Source = 'Royal Mail prices of April 2025, not confirmed';
const gbSignedSource = '1st Class + about 1.90 (known: 1.70 to 1.90), estimated';
const gbSpecialSource = 'upper end of about 7.95 to 8.75 to 100 g by 1 pm, estimated';
const gb2025: Validity = { validFrom: '2025-04-07', validTo: '2026-04-06' };
const gb2026: Validity = { validFrom: '2026-04-07' };
const gbLetter = (to100: number, to250: number, to500: number): Band[] => [
  { envelope: 'C5', maxGrams: 100, cents: to100 },
  { envelope: 'C4', maxGrams: 250, cents: to250, estimate: true },
  { envelope: 'C4', maxGrams: 500, cents: to500, estimate: true },
];
const gbFirst2025 = gbLetter(170, 365, 395);
const gbFirst2026 = gbLetter(180, 390, 420);
const gbSpecial: readonly Band[] = [
  { envelope: 'C5', maxGrams: 100, cents: 875 },
  { envelope: 'C4', maxGrams: 500, cents: 975 },
];

// Canada. Lettermail to 50 g is published (≤ 9 sheets); oversize, registered and Priority estimated.
const caSource = 'Canada Post prices of 13 January 2025 to 50 g; oversize estimated';
const caRegisteredSource = 'C$10.75 in 2019, about C$12 and more since, estimated';
const caPrioritySource = 'courier envelope, contract price unknown, estimated';
const ca2025: Validity = { validFrom: '2025-01-13' };
const caLetter: readonly Band[] = [
  { envelope: '#10', maxGrams: 30, cents: 144 },
  { envelope: '#10', maxGrams: 50, maxSheets: 9, cents: 175 },
  { envelope: 'flat', maxGrams: 100, cents: 261, estimate: true },
  { envelope: 'flat', maxGrams: 200, cents: 429, estimate: true },
  { envelope: 'flat', maxGrams: 300, cents: 600, estimate: true },
];
const caPriority: readonly Band[] = [
  { envelope: 'flat', maxGrams: 500, maxSheets: 60, cents: 2950 },
];

// Germany. Standard, Kompakt (≤ 8 sheets), Groß, Maxi; registration is a fixed fee on each.
const deSource = 'Deutsche Post prices of 1 January 2025';
const de2025: Validity = { validFrom: '2025-01-01' };
const deLetter: readonly Band[] = [
  { envelope: 'DL', maxGrams: 20, cents: 95 },
  { envelope: 'DL', maxGrams: 50, maxSheets: 8, cents: 110 },
  { envelope: 'C4', maxGrams: 500, cents: 180 },
  { envelope: 'C4', maxGrams: 1000, cents: 290 },
];

/** Every rate there is, published retail prices without negotiated discounts. */
export const rates: readonly RateRow[] = [
  ...table('us_first_class', 'USD', usSource, us2025, usLetter),
  ...table('us_certified', 'USD', `${usSource}; certified fee $5.30`, us2025, plus(530, usLetter)),
  ...table('us_priority', 'USD', 'flat-rate envelope of 2026', us2025, usPriority),
  ...table('fr_lettre_verte', 'EUR', frSource, fr2025, frVerte2025),
  ...table('fr_lettre_verte', 'EUR', frVerteSource, fr2026, frVerte2026),
  ...table('fr_lettre_suivie', 'EUR', frStickerSource, fr2025, estimated(plus(50, frVerte2025))),
  ...table('fr_lettre_suivie', 'EUR', frSuivieSource, fr2026, plus(50, frVerte2026)),
  ...table('fr_lettre_recommandee', 'EUR', frSource, fr2025, frR1(574, 656, 740, 906, 1064)),
  ...table('fr_lettre_recommandee', 'EUR', frR1Source, fr2026, frR1(611, 698, 788, 963, 1132)),
  ...table('gb_first_class', 'GBP', gb2025Source, gb2025, estimated(gbFirst2025)),
  ...table('gb_first_class', 'GBP', gbSource, gb2026, gbFirst2026),
  ...table('gb_second_class', 'GBP', gb2025Source, gb2025, estimated(gbLetter(87, 200, 240))),
  ...table('gb_second_class', 'GBP', gbSource, gb2026, gbLetter(91, 210, 250)),
  ...table('gb_signed_for', 'GBP', gbSignedSource, gb2025, estimated(plus(190, gbFirst2025))),
  ...table('gb_signed_for', 'GBP', gbSignedSource, gb2026, estimated(plus(190, gbFirst2026))),
  ...table('gb_special_delivery', 'GBP', gbSpecialSource, gb2025, estimated(gbSpecial)),
  ...table('gb_special_delivery', 'GBP', gbSpecialSource, gb2026, estimated(gbSpecial)),
  ...table('ca_lettermail', 'CAD', caSource, ca2025, caLetter),
  ...table('ca_registered', 'CAD', caRegisteredSource, ca2025, estimated(plus(1151, caLetter))),
  ...table('ca_priority', 'CAD', caPrioritySource, ca2025, estimated(caPriority)),
  ...table('de_standardbrief', 'EUR', deSource, de2025, deLetter),
  ...table('de_einschreiben', 'EUR', `${deSource}, + 2.65`, de2025, plus(265, deLetter)),
  ...table('de_einschreiben_einwurf', 'EUR', `${deSource}, + 2.35`, de2025, plus(235, deLetter)),
];

/** The rows of each service, cheapest first, so that the first row that fits is the price. */
export type RateTable = ReadonlyMap<ServiceId, readonly RateRow[]>;

export const rateTableOf = (rows: readonly RateRow[]): RateTable =>
  Map.groupBy(
    rows.toSorted((a, b) => Number(a.cents - b.cents)),
    ({ service }) => service,
  );

export const usualRates = rateTableOf(rates);

const isValid = (row: RateRow, on: string): boolean =>
  row.validFrom <= on && (row.validTo === undefined || on <= row.validTo);

/** CHOICE: postal operators change their prices about once a year, so that an older figure is not sure. */
const sureMonths = 12;

/**
 * Whether the postage of a row is an estimate on day `on`: no published tariff contains it, or the tariff is more than
 * a year old and may have been replaced since.
 */
export const isEstimateOn = ({ estimate, validFrom }: RateRow, on: string): boolean => {
  const sureBefore = new Date(`${validFrom}T00:00:00Z`);
  sureBefore.setUTCMonth(sureBefore.getUTCMonth() + sureMonths);
  return estimate || on >= sureBefore.toISOString().slice(0, 10);
};

export const sheetsInRow = (row: RateRow, format: PageFormat): number => {
  const byWeight = Math.floor((row.maxGrams - envelopeGrams[row.envelope]) / sheetGrams[format]);
  return Math.min(byWeight, row.maxSheets ?? byWeight);
};

type Postage = { cents: Cents; currency: Currency; row: RateRow };

type Item = {
  service: ServiceId;
  sheets: number;
  format: PageFormat;
  on: string;
  /** Its recipient, normalised; undefined: one on the mainland. */
  to?: Pick<Address, 'postalCode'> | undefined;
};

/** The supplement for the place that a letter in this envelope goes to: with the services of France, overseas. */
export const supplementOf = (
  envelope: Envelope,
  { service, sheets, format, to }: Omit<Item, 'on'>,
): Cents => {
  if (to === undefined || !service.startsWith('fr_')) return 0n;
  return overseasSupplement(to.postalCode, envelopeGrams[envelope] + sheets * sheetGrams[format]);
};

function withSupplement(row: RateRow, item: Item): RateRow {
  const supplement = supplementOf(row.envelope, item);
  if (supplement === 0n) return row;
  const source = `${row.source}; supplement for overseas France, estimated`;
  return { ...row, cents: row.cents + supplement, source, estimate: true };
}

/**
 * Postage in cents of the operator's currency for `sheets` sheets (a cover sheet included) posted on
 * day `on` (`YYYY-MM-DD`): the cheapest row that fits. `undefined`: more sheets than the service takes,
 * or a day before its first row.
 */
export function postage(item: Item, table: RateTable): Postage | undefined {
  const found = table
    .get(item.service)
    ?.find((one) => isValid(one, item.on) && item.sheets <= sheetsInRow(one, item.format));
  const row = found && withSupplement(found, item);
  return row && { cents: row.cents, currency: row.currency, row };
}

/** The rows of a service that are valid on day `on`, cheapest first. */
export const ratesOn = (service: ServiceId, on: string, table: RateTable): readonly RateRow[] =>
  table.get(service)?.filter((row) => isValid(row, on)) ?? [];

/** The most sheets the service takes on day `on`; 0 before its first row. */
export function maxSheets(
  service: ServiceId,
  format: PageFormat,
  on: string,
  table: RateTable,
): number {
  return Math.max(0, ...ratesOn(service, on, table).map((row) => sheetsInRow(row, format)));
}
