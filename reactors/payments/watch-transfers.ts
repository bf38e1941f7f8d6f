/**
 * Finds transfers to our address that were not presented here. It reads blocks that are deep enough not to be
 * forgotten by the chain, by a cursor and not by a subscription. So it misses nothing during an interruption,
 * and believes nothing that the chain takes back.
 */
import type { Received } from '../../commands/payments/received.ts';

const blocksAtOnce = 2_000;

type ChainPorts = {
  head: () => Promise<number>;
  cursor: { read(): Promise<number | undefined>; save(block: number): Promise<void> };
  confirmations: number;
};

/** The last block that the chain will not forget, and where it was read to: at first that block. */
const placeIn = async ({ head, cursor, confirmations }: ChainPorts) => {
  const final = Math.max(0, (await head()) - confirmations);
  const known = await cursor.read();
  // Transfers from before the service existed are ignored.
  if (known === undefined) await cursor.save(final);
  return { final, at: known ?? final };
};

/** Ensures, before somebody is asked for a transfer, that transfers from now on are found. @throws RailUnavailable */
export const createBeginWatching = (ports: ChainPorts) => async (): Promise<void> => {
  if ((await ports.cursor.read()) === undefined) await placeIn(ports);
};

export const createWatchTransfers = (
  ports: ChainPorts & {
    transfers: (fromBlock: number, toBlock: number) => Promise<Received[]>;
    /** Safe to repeat. */
    take: (received: Received) => Promise<void>;
    /** The most blocks that one look reads; absent: no limit. */
    blocksAtMost?: number;
  },
) => {
  const { transfers, cursor, take, blocksAtMost } = ports;
  return async (): Promise<void> => {
    const { final, at: from } = await placeIn(ports);
    let at = from;
    const last = blocksAtMost === undefined ? final : Math.min(final, at + blocksAtMost);
    while (at < last) {
      const to = Math.min(last, at + blocksAtOnce);
      for (const received of await transfers(at + 1, to)) await take(received);
      await cursor.save(to);
      at = to;
    }
  };
};
