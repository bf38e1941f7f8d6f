import { type Amounts, add, inBucket, nothing, subtract } from '../money/buckets.ts';
import { amountsIn, commissionIn, type Method, type WalletEvent } from './wallet.ts';

/**
 * Where money can be: outside, by the way it came in; in the wallet, available or held; ours, as price or as
 * commission on it; `refunds` are the amounts that we gave back.
 */
export type Place =
  | `external:${Method}`
  | 'available'
  | 'held'
  | 'revenue'
  | 'commission'
  | 'refunds';

type Move = { from: Place; to: Place; amounts: Amounts };

/** The moves of money in an event of a wallet. Every move has a source. */
export const movesOf = (event: WalletEvent): Move[] => {
  switch (event.type) {
    case 'FundsCredited': {
      const { receipt, bucket, amountMicro } = event.data;
      const amounts = inBucket(bucket, BigInt(amountMicro));
      return [{ from: `external:${receipt.method}`, to: 'available', amounts }];
    }
    case 'FundsChargedBack': {
      const { receipt, bucket, amountMicro } = event.data;
      const amounts = inBucket(bucket, BigInt(amountMicro));
      return [{ from: 'available', to: `external:${receipt.method}`, amounts }];
    }
    case 'FundsReserved':
      return [{ from: 'available', to: 'held', amounts: amountsIn(event.data) }];
    case 'FundsReleased':
      return [{ from: 'held', to: 'available', amounts: amountsIn(event.data) }];
    case 'FundsCaptured': {
      const commission = commissionIn(event.data);
      const price = subtract(amountsIn(event.data), commission);
      return [
        { from: 'held', to: 'revenue', amounts: price },
        { from: 'held', to: 'commission', amounts: commission },
      ];
    }
    case 'FundsRefunded':
      return [{ from: 'refunds', to: 'available', amounts: amountsIn(event.data) }];
    default:
      return [];
  }
};

/** The places that an event moves money between. */
export const placesOf = (event: WalletEvent): Place[] =>
  movesOf(event).flatMap(({ from, to }) => [from, to]);

/** The change of each place, by the moves: adds up to nothing. */
export const changesOf = (moves: Move[]): Map<Place, Amounts> => {
  const changes = new Map<Place, Amounts>();
  for (const { from, to, amounts } of moves) {
    changes.set(from, subtract(changes.get(from) ?? nothing, amounts));
    changes.set(to, add(changes.get(to) ?? nothing, amounts));
  }
  return changes;
};
