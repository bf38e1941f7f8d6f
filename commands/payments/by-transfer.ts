/** Topping up by a plain transfer of USDC: it has no memo, so that its amount says whose it is. */
import { createHash } from 'node:crypto';
import { type Clock, toTimestamp } from '../../contract/clock.ts';
import type { Rail } from './rails.ts';
import type { TopUpMethod } from './top-ups.ts';

/** How long a transfer of just this amount is waited for. */
const waitMs = 86_400_000;
/** Millionths of a dollar by which amounts are told apart: less than a cent. */
const tails = 9_999;

/** The tail of the `turn`-th try for this top-up, 1 to 9999. */
const tailOf = (topUpId: string, turn: number): number =>
  (createHash('sha256').update(`${topUpId}:${turn}`).digest().readUInt32BE(0) % tails) + 1;

export const createTransferMethod = (ports: {
  rail: Pick<Rail, 'network' | 'asset' | 'payTo'>;
  clock: Clock;
  /** Whether a transfer of this amount is waited for already. */
  isWaitedFor: (transferMicro: number) => Promise<boolean>;
}): TopUpMethod => ({
  method: 'usdc',
  async open({ topUpId, amountMicro }) {
    const { rail, clock, isWaitedFor } = ports;
    let transferMicro = 0;
    for (let turn = 0; turn < 20; turn++) {
      transferMicro = Number(amountMicro) + tailOf(topUpId, turn);
      if (!(await isWaitedFor(transferMicro))) break;
    }
    const { network, asset, payTo } = rail;
    return {
      terms: { method: 'usdc', network, asset, payTo, transferMicro },
      handed: '',
      expiresAt: toTimestamp(clock() + waitMs),
    };
  },
});
