/** Hands out amounts to transfer, and finds the top-up that a transfer is for. */

import { createHmac } from 'node:crypto';
import { AppError } from '../../contract/errors.ts';
import { amountKeyOf } from '../../events/top-up.ts';
import { type Clock, toTimestamp } from '../../ground/clock.ts';
import { dayMs } from '../../ground/day.ts';
import type { RotatingKey } from '../../ground/rotating-key.ts';
import type { MicroUsd } from '../../money/amounts.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { walletAggregate } from '../wallets/wallet.ts';
import { announcedAmountAggregate } from './announced-amount.ts';
import type { Rail } from './rails.ts';
import { createTakeAnnounced, type LastHolder } from './take-announced.ts';
import { type TopUp, topUpAggregate } from './top-up.ts';

/** How long a top-up waits for its transfer. */
export const waitMs = dayMs;
/** How long after that a transfer is still known by its amount. */
const lateMs = 7 * dayMs;
/**
 * CHOICE: how long an amount that was transferred is not given out again. People repeat old transfers, which
 * then count as their own.
 */
const restMs = 400 * dayMs;
/** A credit of this much makes an account one that has paid. */
const paidMicro = 1_000_000n;

/**
 * An amount is what was asked for and a tail of one to ten cents, in millionths. The last digit tells who may get it, so
 * that nobody uses up the amounts of others: accounts that have not paid yet, accounts that have, and top-ups that
 * name the wallet they come from, which share an amount with nobody unless it is the same wallet's. Tails that end
 * on 0 are not used: a transfer with five decimals or fewer is never taken for a top-up.
 */
const lastDigits = { free: 1, funded: 4, named: 7 } as const;
type Kind = keyof typeof lastDigits;
const leastTail = 10_000;
const tensOfTails = 9_000;
const digitsPerKind = 3;
/** Tails that are tried; a tenth of a kind's amounts is free as long as nine in ten of these find one. */
const turns = 40;

type Address = Pick<Rail, 'network' | 'asset' | 'payTo'>;

type Wish = {
  topUpId: string;
  accountId: string;
  amountMicro: MicroUsd;
  senderId?: string;
  /** It is paid by x402 in the same request. */
  isPaid?: boolean;
};

const isPaidByTransfer = (topUp: TopUp): boolean =>
  topUp.status === 'paid' &&
  topUp.asked.terms.method === 'usdc' &&
  topUp.creditedMicro === BigInt(topUp.asked.terms.transferMicro);

/** No amount is left to tell a transfer apart by. */
const usedUp = (kind: Kind): AppError =>
  new AppError(
    'payment_unavailable',
    kind === 'named'
      ? 'Too many unpaid top-ups of this amount expect a transfer from this wallet. Choose another amount, or pay this one by x402.'
      : 'Too many unpaid top-ups of this amount expect a transfer. Send the wallet that you transfer from as from_address, choose another amount, or pay this one by x402.',
    { headers: { 'Retry-After': '3600' } },
  );

export const createAnnouncedAmounts = (ports: {
  handler: CommandHandler;
  rail: Address;
  clock: Clock;
  /** Nobody can work out which tail a top-up gets. */
  key: RotatingKey;
}) => {
  const { handler, rail, clock, key } = ports;
  const take = createTakeAnnounced(handler);

  const topUpOf = async ({ topUpId }: { topUpId: string }): Promise<TopUp> =>
    (await handler.load(topUpAggregate, topUpId)).state;

  const isAmountFree = async (last: LastHolder): Promise<boolean> => {
    const now = clock();
    if (Date.parse(last.until) > now) return false;
    const wasTransferred = isPaidByTransfer(await topUpOf(last));
    return !wasTransferred || Date.parse(last.at) + restMs <= now;
  };

  const keyFor = (
    { network, asset, payTo }: Address,
    transferMicro: number,
    senderId: string | undefined,
  ): string => amountKeyOf({ network, asset, payTo, transferMicro, senderId: senderId ?? '' });

  const kindOf = async ({ accountId, senderId, isPaid }: Wish): Promise<Kind> => {
    if (senderId !== undefined) return 'named';
    if (isPaid) return 'funded';
    const { state } = await handler.load(walletAggregate, accountId);
    const credits = [...state.receipts.values()];
    return credits.some(({ reversibleMicro }) => reversibleMicro >= paidMicro) ? 'funded' : 'free';
  };

  const tailOf = (topUpId: string, kind: Kind, turn: number): number => {
    const drawn = createHmac('sha256', key()[0])
      .update(`${topUpId}:${turn}`)
      .digest()
      .readUInt32BE(0);
    const digit = lastDigits[kind] + (drawn % digitsPerKind);
    return leastTail + (Math.floor(drawn / digitsPerKind) % tensOfTails) * 10 + digit;
  };

  return {
    /**
     * An amount that is this top-up's alone until a week after its time. In millionths.
     * @throws AppError payment_unavailable when no amount is left
     */
    async announce(
      wish: Wish,
      isWaitedFor: (transferMicro: number) => Promise<boolean>,
    ): Promise<number> {
      const { topUpId, accountId, amountMicro, senderId } = wish;
      const kind = await kindOf(wish);
      const until = toTimestamp(clock() + waitMs + lateMs);
      for (let turn = 0; turn < turns; turn++) {
        const transferMicro = Number(amountMicro) + tailOf(topUpId, kind, turn);
        if (await isWaitedFor(transferMicro)) continue;
        const id = keyFor(rail, transferMicro, senderId);
        const last = await take(id, { topUpId, accountId, until }, isAmountFree);
        if (last.topUpId === topUpId) return transferMicro;
      }
      throw usedUp(kind);
    },

    /**
     * The top-up that a transfer of this amount is for: one that names its sender, or one that names none.
     * @param to the address that it reached
     */
    async find(
      transferMicro: number,
      senderId: string,
      to: Address = rail,
    ): Promise<{ topUpId: string; accountId: string } | undefined> {
      for (const sender of [senderId, undefined]) {
        const id = keyFor(to, transferMicro, sender);
        const { last } = (await handler.load(announcedAmountAggregate, id)).state;
        if (!last || Date.parse(last.until) <= clock()) continue;
        const { status } = await topUpOf(last);
        // The caller of a failed request never got the amount.
        if (status !== 'none' && status !== 'paid') return last;
      }
      return undefined;
    },
  };
};

export type AnnouncedAmounts = ReturnType<typeof createAnnouncedAmounts>;
