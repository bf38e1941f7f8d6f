/**
 * Settles for one payer only what the payer's tokens are enough for. Each transfer is tried on the newest block, which
 * knows nothing of those that are on their way: without adding these up, one token would get any number
 * of transfers sent, of which all but the first fail at our cost.
 */
import type { MicroUsd } from '../../money/amounts.ts';

type OnTheWay = { amountMicro: MicroUsd; ended: Promise<unknown> };
type Payer = { onTheWay: Set<OnTheWay>; ended: number };

export const createPayerTurns = (ports: {
  /** The payer's balance in the newest block. */
  balanceOf: (payer: string) => Promise<MicroUsd>;
  /** Payments of one payer that are on their way at a time. */
  atMost: number;
}) => {
  const { balanceOf, atMost } = ports;
  const payers = new Map<string, Payer>();

  const payerAt = (address: string): Payer => {
    const known = payers.get(address) ?? { onTheWay: new Set(), ended: 0 };
    payers.set(address, known);
    return known;
  };

  const run = async <T>(
    address: string,
    amountMicro: MicroUsd,
    work: () => Promise<T>,
  ): Promise<T> => {
    const payer = payerAt(address);
    const running = work();
    const own = { amountMicro, ended: running.catch(() => {}) };
    payer.onTheWay.add(own);
    try {
      return await running;
    } finally {
      payer.onTheWay.delete(own);
      payer.ended += 1;
      if (payer.onTheWay.size === 0) payers.delete(address);
    }
  };

  /** Runs `work` when the payer's tokens are enough for it and for all that is on its way. */
  return async <T>(address: string, amountMicro: MicroUsd, work: () => Promise<T>): Promise<T> => {
    for (;;) {
      const payer = payerAt(address);
      const { onTheWay, ended } = payer;
      // One alone is tried on the chain itself.
      if (onTheWay.size === 0) return run(address, amountMicro, work);
      if (onTheWay.size < atMost) {
        const held = await balanceOf(address);
        if (payer.ended !== ended) continue;
        const sent = [...onTheWay].reduce((sum, one) => sum + one.amountMicro, amountMicro);
        if (onTheWay.size < atMost && sent <= held) return run(address, amountMicro, work);
      }
      await Promise.race([...onTheWay].map((one) => one.ended));
    }
  };
};
