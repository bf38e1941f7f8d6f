/** Goodwill: credits that an operator pays back for a posted letter, once per letter. */
import { AppError } from '../../contract/errors.ts';
import type { WalletEvent } from '../../events/wallet.ts';
import { dollars, type MicroUsd } from '../../money/amounts.ts';
import { type Amounts, type Bucket, buckets, sum } from '../../money/buckets.ts';
import { amountsOf, chargeOfCents } from '../../money/charge.ts';
import { creditFunds } from '../wallets/credits.ts';
import type { Wallet } from '../wallets/state.ts';
import type { ExistingLetter } from './letter.ts';

/** The reference of the credit. A second one, for the part that was paid from the other bucket, is marked. */
export const refundReference = (letterId: string, bucket: Bucket = 'fiat'): string =>
  `refund of letter ${letterId}${bucket === 'crypto' ? ' (crypto)' : ''}`;

export type GoodwillCredit = {
  letterId: string;
  bucket: Bucket;
  amountMicro: MicroUsd;
  reference: string;
};

/** Money that came as fiat is given back first: a part of the price is then in whole cents. */
const split = (paid: Amounts, wanted: MicroUsd): Amounts => {
  const fiat = wanted < paid.fiat ? wanted : paid.fiat;
  return { fiat, crypto: wanted - fiat };
};

/** Why a letter that was not posted takes no refund. */
const unposted = (status: ExistingLetter['status']): string =>
  status === 'failed' || status === 'cancelled'
    ? `The letter is ${status}, so what it cost was paid back already.`
    : `The letter is ${status} and was not posted. Cancel it, or wait until it fails; both refund it.`;

/**
 * The credits that pay a posted letter back, whole or in part, to the buckets that it was paid from.
 * @throws AppError conflict for a letter that was not posted, and for more than it cost
 */
export const goodwillCredits = (
  letterId: string,
  { status, terms }: Pick<ExistingLetter, 'status' | 'terms'>,
  wantedMicro: MicroUsd | undefined,
): GoodwillCredit[] => {
  if (status !== 'posted' && status !== 'in_transit' && status !== 'delivered') {
    throw new AppError('conflict', unposted(status));
  }
  const paid = amountsOf(chargeOfCents(terms.price.charge));
  const price = sum(paid);
  const wanted = wantedMicro ?? price;
  if (wanted > price) {
    throw new AppError(
      'conflict',
      `The letter cost ${dollars(price)}, so no more than that can be refunded.`,
    );
  }
  const amounts = split(paid, wanted);
  return buckets.flatMap((bucket) =>
    amounts[bucket] > 0n
      ? [
          {
            letterId,
            bucket,
            amountMicro: amounts[bucket],
            reference: refundReference(letterId, bucket),
          },
        ]
      : [],
  );
};

/**
 * Credits them in one commit. Nothing, where one of them was credited before: a letter is paid back once,
 * whatever the amount was.
 */
export const creditGoodwill = (
  wallet: Wallet,
  credits: readonly GoodwillCredit[],
  receiptIdOf: (reference: string) => string,
): WalletEvent[] => {
  const used = buckets.some((bucket) =>
    credits.some(({ letterId }) =>
      wallet.receipts.has(receiptIdOf(refundReference(letterId, bucket))),
    ),
  );
  if (used) return [];
  return credits.flatMap(({ bucket, amountMicro, reference }) => {
    const receipt = { method: 'operator' as const, id: receiptIdOf(reference) };
    return creditFunds(wallet, { type: 'CreditFunds', receipt, bucket, amountMicro, reference });
  });
};
