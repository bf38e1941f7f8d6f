import type { MicroUsd } from './amounts.ts';

/** The two buckets of a wallet, by what was paid in. Spending takes crypto first. */
export const buckets = ['crypto', 'fiat'] as const;

export type Bucket = (typeof buckets)[number];

/** An amount of each bucket. */
export type Amounts = Readonly<Record<Bucket, MicroUsd>>;

export const nothing: Amounts = { crypto: 0n, fiat: 0n };

export const inBucket = (bucket: Bucket, amount: MicroUsd): Amounts => ({
  ...nothing,
  [bucket]: amount,
});

export const add = (a: Amounts, b: Amounts): Amounts => ({
  crypto: a.crypto + b.crypto,
  fiat: a.fiat + b.fiat,
});

export const subtract = (a: Amounts, b: Amounts): Amounts => ({
  crypto: a.crypto - b.crypto,
  fiat: a.fiat - b.fiat,
});

export const sum = ({ crypto, fiat }: Amounts): MicroUsd => crypto + fiat;

export const equal = (a: Amounts, b: Amounts): boolean =>
  a.crypto === b.crypto && a.fiat === b.fiat;

/** Whether each bucket of `a` has what `b` asks of it. */
export const covers = (a: Amounts, b: Amounts): boolean => a.crypto >= b.crypto && a.fiat >= b.fiat;
