/**
 * Bounds what one payer can make this service lose. All transactions of a payer that are on the way, from every process,
 * may together take no more gas than one payment may, and move no more than the payer holds. After one of
 * them failed, nothing is sent for the payer for a day (`payer.ts`).
 */
import { AppError } from '../../contract/errors.ts';
import type { MicroUsd } from '../../money/amounts.ts';

type GasHold = {
  paymentId: string;
  /** The payer's own account. */
  payerId: string;
  /** Gas limit of its transaction, and how much all of the payer may take. */
  gas: bigint;
  ceiling: bigint;
  amountMicro: MicroUsd;
  /** When the hold ends by itself, for a payment that nobody finishes. */
  seconds: number;
};

/** Pending payments of each payer, in all processes. */
export type GasHolds = {
  /**
   * Holds the gas of a payment that is alone, or fits under the ceiling; `before`: it is held already. `aheadMicro`: the
   * sum of the payments that held theirs before this one.
   */
  hold(wanted: GasHold): Promise<{ held: 'now' | 'before' | undefined; aheadMicro: MicroUsd }>;
  /** Safe to repeat, also for a payment that holds nothing. */
  giveBack(paymentId: string): Promise<void>;
};

/** CHOICE: a request waits 15 s for other payments of its payer. */
const tries = 60;
const pauseMs = 250;

const others = (): AppError =>
  new AppError(
    'payment_unavailable',
    'Other payments of this wallet wait for the network, so this one was not sent; repeat the request with the same payment.',
    { headers: { 'Retry-After': '5' } },
  );

/**
 * Waits until a payment may be sent. `others`: whether others were sent meanwhile, so that it must be verified again.
 * `isNew`: it was not on its way before.
 * @throws AppError payment_unavailable
 */
export const holdGas = async (
  wanted: GasHold,
  ports: {
    holds: GasHolds;
    /** The payer's balance in the newest block. */
    balance: () => Promise<MicroUsd>;
    pause: (ms: number) => Promise<unknown>;
  },
): Promise<{ others: boolean; isNew: boolean }> => {
  const { holds, balance, pause } = ports;
  let isNew = false;
  try {
    for (let turn = 0; turn < tries; turn++) {
      const { held, aheadMicro } = await holds.hold(wanted);
      isNew ||= held === 'now';
      if (held) {
        const fits = aheadMicro + wanted.amountMicro <= (await balance());
        if (fits) return { others: turn > 0 || aheadMicro > 0n, isNew };
        // Another payment was mined between the verification and the hold.
        if (aheadMicro === 0n) return { others: true, isNew };
      }
      await pause(pauseMs);
    }
    throw others();
  } catch (error) {
    if (isNew) await holds.giveBack(wanted.paymentId);
    throw error;
  }
};
