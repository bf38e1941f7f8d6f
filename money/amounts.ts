import { lazily } from '../ground/lazily.ts';

/**
 * Money in memory is a whole number of micro-USD (10⁻⁶ USD, exactly USDC's decimals) and has no other form.
 * The codecs for each border are here: cents in rate tables and events of letters, JSON numbers in USD at
 * HTTP, dollars in sentences. Events of wallets keep micro-USD as they are.
 */
export type MicroUsd = bigint & { readonly unit?: 'micro-USD' };

/** Whole cents of a currency: in rate tables only. The units keep an amount of one from being taken for the other. */
export type Cents = bigint & { readonly unit?: 'cents' };

const microPerCent = 10_000n;

export const microOfCents = (cents: Cents | number): MicroUsd => BigInt(cents) * microPerCent;

/** Rounded towards zero to whole cents. */
export const wholeCents = (micro: MicroUsd): MicroUsd => micro - (micro % microPerCent);

/** @throws RangeError for a fraction of a cent: a price was rounded before, once */
export const centsOf = (micro: MicroUsd): number => {
  if (micro % microPerCent !== 0n) throw new RangeError(`${micro} micro-USD are not whole cents`);
  return Number(micro / microPerCent);
};

/** As a JSON number: two decimals for whole cents, otherwise up to six; exact up to 2⁵³ micro-USD. */
export const decimalOf = (micro: MicroUsd): number => Number(micro) / 1_000_000;

/** Of a JSON number, exactly. `undefined` if it is not a whole number of cents or too large. */
export const microOfDecimal = (amount: number): MicroUsd | undefined => {
  const cents = Math.round(amount * 100);
  return Number.isSafeInteger(cents) && cents / 100 === amount ? microOfCents(cents) : undefined;
};

const formatters = lazily({ grouped: () => new Intl.NumberFormat('en-US') });

/** `$1,234.50`, `-$0.29`: at least cents, more decimals only where there are any. */
export const dollars = (micro: MicroUsd): string => {
  const size = micro < 0n ? -micro : micro;
  const decimals = String(size % 1_000_000n)
    .padStart(6, '0')
    .replace(/0{1,4}$/, '');
  const whole = size / 1_000_000n;
  // The formatter is slow, also to make, and most amounts have nothing to group.
  const digits = whole < 1_000n ? String(whole) : formatters.grouped.format(whole);
  return `${micro < 0n ? '-' : ''}$${digits}.${decimals}`;
};
