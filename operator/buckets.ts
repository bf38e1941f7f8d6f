import { dollars } from '../money/amounts.ts';
import type { Amounts } from '../money/buckets.ts';

/** As in "$1.50 crypto + $20.00 fiat". */
export const inBuckets = ({ crypto, fiat }: Amounts): string =>
  `${dollars(crypto)} crypto + ${dollars(fiat)} fiat`;
