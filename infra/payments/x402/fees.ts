/** The fees that a transaction offers for its gas (EIP-1559), and the raise when it is sent again. */
import type { PublicClient } from 'viem';

/** In wei for a unit of gas. */
export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint };

/** How long fees are believed: a block of the networks that we know. */
const feesMs = 2_000;
/** How many times the fee of now is offered at most. */
const highest = 4n;

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);
/** More by an eighth: nodes replace a transaction where both of its fees grow by a tenth, and by something. */
const byAnEighth = (fee: bigint): bigint => fee + fee / 8n + 1n;

/** The offer after `last`, never less than the current demand. Undefined: that would be too much. */
export const raise = (last: Fees, now: Fees): Fees | undefined => {
  const maxPriorityFeePerGas = larger(
    byAnEighth(last.maxPriorityFeePerGas),
    now.maxPriorityFeePerGas,
  );
  const maxFeePerGas = larger(byAnEighth(last.maxFeePerGas), now.maxFeePerGas);
  if (maxFeePerGas > highest * now.maxFeePerGas) return undefined;
  return { maxFeePerGas: larger(maxFeePerGas, maxPriorityFeePerGas), maxPriorityFeePerGas };
};

export const createFees = (client: PublicClient) => {
  let fees: { at: number; known: Promise<Fees> } | undefined;
  const forget = (): void => {
    fees = undefined;
  };
  return {
    /** The current demand of blocks. */
    now(): Promise<Fees> {
      if (!fees || performance.now() - fees.at > feesMs) {
        fees = { at: performance.now(), known: client.estimateFeesPerGas() };
        fees.known.catch(forget);
      }
      return fees.known;
    },
    forget,
  };
};
