/** Topping up by a plain transfer of USDC, which has no memo. Its amount identifies its owner. */
import { type Clock, toTimestamp } from '../../ground/clock.ts';
import { type AnnouncedAmounts, waitMs } from './announced-amounts.ts';
import { payerDid } from './payer-account.ts';
import type { Rail } from './rails.ts';
import type { TopUpMethod } from './top-ups.ts';

export const createTransferMethod = (ports: {
  rail: Pick<Rail, 'network' | 'asset' | 'payTo'>;
  clock: Clock;
  amounts: Pick<AnnouncedAmounts, 'announce'>;
  /** Stands for the wallet with this DID, whichever account it has. */
  idOf: (did: string) => string;
  /** Whether a top-up from before amounts were announced waits for a transfer of this amount. */
  isWaitedFor: (transferMicro: number) => Promise<boolean>;
  /** Ensures that transfers from now on are found. @throws RailUnavailable */
  beginWatching: () => Promise<void>;
}): TopUpMethod => ({
  method: 'usdc',
  payableMs: waitMs,
  async open({ topUpId, accountId, amountMicro, sender, isPaid }) {
    const { rail, clock, amounts, idOf, isWaitedFor, beginWatching } = ports;
    const { network, asset, payTo } = rail;
    // A top-up that is paid in the same request does not wait.
    if (!isPaid) await beginWatching();
    const named = sender === undefined ? {} : { senderId: idOf(payerDid(network, sender)) };
    const wish = { topUpId, accountId, amountMicro, isPaid: isPaid === true, ...named };
    const transferMicro = await amounts.announce(wish, isWaitedFor);
    return {
      terms: { method: 'usdc', network, asset, payTo, transferMicro },
      ...(sender === undefined ? {} : { sender }),
      handed: '',
      expiresAt: toTimestamp(clock() + waitMs),
    };
  },
});
