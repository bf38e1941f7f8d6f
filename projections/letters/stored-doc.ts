/**
 * The facts of a letter as the column `doc` keeps them. The row of a letter is written again with each of its events,
 * so they are short: values in a fixed order instead of named ones, times as milliseconds since the epoch, and nothing
 * that another column has.
 */
import type { LetterTerms } from '../../events/letter.ts';
import { toTimestamp } from '../../ground/clock.ts';
import { wordsIn } from '../upsert.ts';
import type { LetterDoc } from './doc.ts';

type Time = string | Date;

/** The columns that complete the facts, as the driver or `load` reads them. */
export type DocColumns = {
  account_id: string;
  test: boolean;
  service: string;
  country: string;
  created_at: Time;
  updated_at: Time;
  release_at: Time | null;
  reference_hash: string | null;
  metadata_hashes: string | string[] | null;
  delivery_outcome: LetterDoc['deliveryOutcome'] | null;
  tracking_number: string | null;
  hand_over: NonNullable<LetterDoc['handOver']>['state'] | null;
  hand_over_at: Time | null;
};

/** The columns of `DocColumns`, and the facts. */
export const docColumns = `account_id, test, service, country, created_at, updated_at, release_at,
  reference_hash, metadata_hashes, delivery_outcome, tracking_number, hand_over, hand_over_at, doc`;

/** Milliseconds since the epoch. A time in another form than the service's stays a text. */
type StoredTime = number | string;

type Price = LetterTerms['price'];
type StoredPrice = [
  postageCents: number,
  printCents: number,
  surchargeCents: number,
  charge: [subtotalCrypto: number, commissionCrypto: number, subtotalFiat: number, number],
  pricingVersion: string,
  local: [currency: string, postageCents: number, rate: string],
  ...discount: NonNullable<Price['discount']>[],
];

/** `more`: fields that not every letter has, with their names. */
type StoredTerms = [
  intent: string,
  pages: number,
  sheets: number,
  color: number,
  duplex: number,
  envelope: string,
  commitment: string,
  expectedDelivery: [earliest: string, latest: string],
  price: StoredPrice,
  more: Partial<LetterTerms>,
];

type Step = LetterDoc['timeline'][number];
/** `how`: true where the step is inferred, or when it happened. */
type StoredStep = [status: Step['status'], at: StoredTime, source: string, how?: true | StoredTime];

type Rare = Pick<
  LetterDoc,
  'holdReason' | 'evidence' | 'returnReason' | 'failure' | 'cancellation' | 'erased' | 'deleted'
>;

/** `t`: terms, `l`: timeline, `f`: sealedFor, `c`: cancellableUntil, `d`: datedAt; the rest by their names. */
type StoredDoc = Rare & {
  t: StoredTerms;
  l: StoredStep[];
  f?: string | undefined;
  c?: StoredTime | undefined;
  d?: StoredTime | undefined;
};

const storedTime = (time: string): StoredTime => {
  const ms = Date.parse(time);
  return Number.isFinite(ms) && toTimestamp(ms) === time ? ms : time;
};

const timeOf = (time: StoredTime | Date): string => {
  if (typeof time === 'string') return time;
  return toTimestamp(typeof time === 'number' ? time : time.getTime());
};

const optionalTime = (time: string | undefined): StoredTime | undefined =>
  time === undefined ? undefined : storedTime(time);

/** `rest`: of a value whose fields are stored one by one. With a field that is not stored this does not compile. */
const assertEmpty = (_rest: Record<string, never>): void => {};

/** SQL of when a step of the timeline was recorded. */
export const stepRecordedAt = (step: string): string =>
  `case json_typeof(${step} -> 1) when 'number' then to_timestamp((${step} ->> 1)::float8 / 1000)
     else (${step} ->> 1)::timestamptz end`;

const storedPrice = (price: Price): StoredPrice => {
  const { postageCents, printCents, surchargeCents, pricingVersion, discount, ...parts } = price;
  const { charge, local, ...rest } = parts;
  const { subtotalCryptoCents, commissionCryptoCents, ...others } = charge;
  const { subtotalFiatCents, commissionFiatCents, ...restOfCharge } = others;
  const { currency, postageCents: localPostageCents, rate, ...restOfLocal } = local;
  assertEmpty(rest);
  assertEmpty(restOfCharge);
  assertEmpty(restOfLocal);
  return [
    postageCents,
    printCents,
    surchargeCents,
    [subtotalCryptoCents, commissionCryptoCents, subtotalFiatCents, commissionFiatCents],
    pricingVersion,
    [currency, localPostageCents, rate],
    ...(discount ? [discount] : []),
  ];
};

const priceOf = (stored: StoredPrice): Price => {
  const [postageCents, printCents, surchargeCents, charge, pricingVersion, local, discount] =
    stored;
  const price: Price = {
    postageCents,
    printCents,
    surchargeCents,
    charge: {
      subtotalCryptoCents: charge[0],
      commissionCryptoCents: charge[1],
      subtotalFiatCents: charge[2],
      commissionFiatCents: charge[3],
    },
    pricingVersion,
    local: { currency: local[0], postageCents: local[1], rate: local[2] },
  };
  if (discount) price.discount = discount;
  return price;
};

const storedTerms = (terms: LetterTerms): StoredTerms => {
  const { accountId, test, service, country, referenceHash, metadataHashes, ...own } = terms;
  const { intent, pages, sheets, color, duplex, envelope, commitment, ...rest } = own;
  const { expectedDelivery, price, ...more } = rest;
  const { earliest, latest, ...restOfDelivery } = expectedDelivery;
  assertEmpty(restOfDelivery);
  return [
    intent,
    pages,
    sheets,
    Number(color),
    Number(duplex),
    envelope,
    commitment,
    [earliest, latest],
    storedPrice(price),
    more,
  ];
};

const hashesOf = (hashes: string | string[]): string[] =>
  typeof hashes === 'string' ? wordsIn(hashes) : hashes;

const termsOf = (stored: StoredTerms, row: DocColumns): LetterTerms => {
  const [intent, pages, sheets, color, duplex, envelope, commitment, delivery, price, more] =
    stored;
  const terms: LetterTerms = {
    accountId: row.account_id,
    test: row.test,
    service: row.service,
    intent,
    country: row.country,
    pages,
    sheets,
    color: color === 1,
    duplex: duplex === 1,
    envelope,
    expectedDelivery: { earliest: delivery[0], latest: delivery[1] },
    commitment,
    ...more,
    price: priceOf(price),
  };
  if (row.reference_hash !== null) terms.referenceHash = row.reference_hash;
  if (row.metadata_hashes !== null) terms.metadataHashes = hashesOf(row.metadata_hashes);
  return terms;
};

const storedStep = (step: Step): StoredStep => {
  const { status, at, source, inferred, occurred_at, ...rest } = step;
  assertEmpty(rest);
  const how = inferred || optionalTime(occurred_at);
  return how === undefined
    ? [status, storedTime(at), source]
    : [status, storedTime(at), source, how];
};

const stepOf = ([status, at, source, how]: StoredStep): Step => {
  const step: Step = { status, at: timeOf(at), source };
  if (how === true) step.inferred = true;
  else if (how !== undefined) step.occurred_at = timeOf(how);
  return step;
};

export const storedDoc = (doc: LetterDoc): string => {
  const { terms, timeline, sealedFor, cancellableUntil, datedAt, ...rest } = doc;
  const { createdAt, updatedAt, releaseAt, handOver, ...own } = rest;
  const { trackingNumber, deliveryOutcome, ...rare } = own;
  if (handOver) {
    const { state, since, ...restOfHandOver } = handOver;
    assertEmpty(restOfHandOver);
  }
  const stored: StoredDoc = {
    t: storedTerms(terms),
    l: timeline.map(storedStep),
    f: sealedFor,
    c: optionalTime(cancellableUntil),
    d: optionalTime(datedAt),
    ...rare,
  };
  return JSON.stringify(stored);
};

/** The facts as `storedDoc` took them. */
export const readDoc = (text: string, row: DocColumns): LetterDoc => {
  const { t, l, f, c, d, ...rare }: StoredDoc = JSON.parse(text);
  const doc: LetterDoc = {
    terms: termsOf(t, row),
    createdAt: timeOf(row.created_at),
    updatedAt: timeOf(row.updated_at),
    timeline: l.map(stepOf),
    ...rare,
  };
  if (f !== undefined) doc.sealedFor = f;
  if (c !== undefined) doc.cancellableUntil = timeOf(c);
  if (d !== undefined) doc.datedAt = timeOf(d);
  if (row.release_at !== null) doc.releaseAt = timeOf(row.release_at);
  if (row.tracking_number !== null) doc.trackingNumber = row.tracking_number;
  if (row.delivery_outcome) doc.deliveryOutcome = row.delivery_outcome;
  if (row.hand_over && row.hand_over_at !== null) {
    doc.handOver = { state: row.hand_over, since: timeOf(row.hand_over_at) };
  }
  return doc;
};
