/**
 * Lightning top-ups, settled when the node confirms them. Its notifications are only hints; the sweep asks it
 * again.
 */
import { RailUnavailable } from '../../commands/payments/rails.ts';
import type { Log } from '../../ground/log.ts';
import { pause } from '../../ground/pause.ts';

const retryMs = 5_000;

/** The words of the node, for the log. */
const causeOf = (error: unknown): unknown =>
  error instanceof RailUnavailable ? error.cause : error;

export const createFollowLightning = (ports: {
  /** Payment hashes as they are settled. `connected`: called once the node listens. */
  settledNow: (signal: AbortSignal, connected: () => void) => AsyncIterable<string>;
  settle: (topUpId: string) => Promise<void>;
  byHash: (paymentHash: string) => Promise<{ topUpId: string }[]>;
  log: Pick<Log, 'warn'>;
}) => {
  const { settledNow, settle, byHash, log } = ports;
  /** Whether the log says that the node is away. */
  let lost = false;
  const connected = (): void => {
    lost = false;
  };

  const listen = async (signal: AbortSignal): Promise<void> => {
    for await (const hash of settledNow(signal, connected)) {
      for (const { topUpId } of await byHash(hash)) await settle(topUpId);
    }
  };

  /** Listens until it is aborted; a lost connection is made again. */
  return async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      await listen(signal).catch((error: unknown) => {
        if (!signal.aborted && !lost)
          log.warn({ err: String(causeOf(error)) }, 'the Lightning node is away');
        lost = true;
      });
      await pause(retryMs, signal);
    }
  };
};
