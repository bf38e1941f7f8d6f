/**
 * Finds transfers to our address that were not presented here. It reads blocks that are deep enough not to be
 * forgotten by the chain, by a cursor and not by a subscription. So it misses nothing during an interruption,
 * and believes nothing that the chain takes back.
 */
import type { Received } from '../../commands/payments/received.ts';

const blocksAtOnce = 2_000;

export const createWatchTransfers = (ports: {
  head: () => Promise<number>;
  transfers: (fromBlock: number, toBlock: number) => Promise<Received[]>;
  cursor: { read(): Promise<number | undefined>; save(block: number): Promise<void> };
  /** Safe to repeat. */
  take: (received: Received) => Promise<void>;
  confirmations: number;
  /** The most blocks that one look reads; absent: no limit. */
  blocksAtMost?: number;
}) => {
  const { head, transfers, cursor, take, confirmations, blocksAtMost } = ports;
  return async (): Promise<void> => {
    const final = Math.max(0, (await head()) - confirmations);
    let at = await cursor.read();
    if (at === undefined) {
      // Transfers from before the service existed are ignored.
      at = final;
      await cursor.save(at);
    }
    const last = blocksAtMost === undefined ? final : Math.min(final, at + blocksAtMost);
    while (at < last) {
      const to = Math.min(last, at + blocksAtOnce);
      for (const received of await transfers(at + 1, to)) await take(received);
      await cursor.save(to);
      at = to;
    }
  };
};
