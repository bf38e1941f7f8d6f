import { backoffMs } from '../../ground/backoff.ts';
import { PartnerUnavailable } from '../../reactors/print-partner.ts';

const failuresToClose = 3;
const pauses = { firstMs: 500, mostMs: 15_000 };

/**
 * Spares a partner that is down: after some failures in a row calls are refused at once, and one is let
 * through from time to time to see whether it is back. Times by `monotonicMs`.
 */
export const createOutageGate = (monotonicMs: () => number = () => performance.now()) => {
  let failures = 0;
  let openAtMs = 0;
  let probing = false;

  return {
    /**
     * Calls the partner, or refuses to. `isOutage` tells which failures are those of all calls.
     * @throws PartnerUnavailable that is safe to retry; what `call` throws
     */
    async pass<T>(call: () => Promise<T>, isOutage: (error: unknown) => boolean): Promise<T> {
      const closed = failures >= failuresToClose;
      if (closed && (probing || monotonicMs() < openAtMs)) {
        throw new PartnerUnavailable('The print partner is down; it is asked again soon.', true);
      }
      probing = closed;
      try {
        const result = await call();
        failures = 0;
        return result;
      } catch (error) {
        if (isOutage(error)) {
          failures++;
          openAtMs = monotonicMs() + backoffMs(failures - failuresToClose + 1, pauses);
        } else failures = 0;
        throw error;
      } finally {
        if (closed) probing = false;
      }
    },
  };
};
