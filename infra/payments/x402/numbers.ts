/** The numbers of one key's transactions: the node's count, less the numbers given away here. */
import { singleFlight } from '../../../ground/single-flight.ts';

/** How long a number that was seen used counts more than what a node says. */
const believedMs = 5_000;

export const createNumbers = (ports: {
  /** How many the node knows, with those that wait in their order. */
  count: () => Promise<number>;
  isGiven: (number: number) => boolean;
}) => {
  const { count, isGiven } = ports;
  let lastUsed = { number: -1, atMs: Number.NEGATIVE_INFINITY };
  const used = (): number =>
    performance.now() - lastUsed.atMs < believedMs ? lastUsed.number : -1;

  return {
    /** Calls that arrive together are one question to the node. */
    counted: singleFlight(count),

    /** The first free number. A number that a node forgot, or did not accept, is given again. */
    free(counted: number): number {
      let number = Math.max(counted, used() + 1);
      while (isGiven(number)) number += 1;
      return number;
    },

    sawUsed(number: number): void {
      lastUsed = { number: Math.max(number, used()), atMs: performance.now() };
    },
  };
};
