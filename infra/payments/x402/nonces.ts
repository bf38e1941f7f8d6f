/** The numbers of our transactions: counted here while several are under way, asked of the node else. */
import { createNonceManager, type NonceManager } from 'viem';
import { jsonRpc } from 'viem/nonce';

/** After such a rest, what the node says counts again. */
const restMs = 5_000;

/**
 * Counting alone would leave a gap for ever where the chain, or the node, forgets a transaction of ours:
 * everything after it would wait for a number that nobody sends.
 */
export const createNonces = (): NonceManager & {
  /** A settlement begins; the function that it gives is called when that ends. */
  settling(): () => void;
} => {
  let counted = createNonceManager({ source: jsonRpc() });
  let underWay = 0;
  let endedMs = 0;
  return {
    consume: (one) => counted.consume(one),
    increment: (one) => counted.increment(one),
    get: (one) => counted.get(one),
    reset: (one) => counted.reset(one),
    settling() {
      if (underWay === 0 && performance.now() - endedMs > restMs) {
        counted = createNonceManager({ source: jsonRpc() });
      }
      underWay += 1;
      return () => {
        underWay -= 1;
        endedMs = performance.now();
      };
    },
  };
};
