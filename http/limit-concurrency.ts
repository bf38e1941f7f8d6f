import { setImmediate } from 'node:timers/promises';
import type { FairShares } from '../limits/fair-shares.ts';
import { limitError } from '../limits/limit-error.ts';
import { clientOf, type Rule } from './rule.ts';
import type { SlowBodies } from './slow-bodies.ts';

/**
 * Refuses requests of a client beyond its share. `ofAccounts` and `ofOthers` are two separate pools, so that
 * callers without a valid credential never use up the slots of accounts.
 */
export const limitConcurrency = (
  ofAccounts: FairShares,
  ofOthers: FairShares,
  slow: SlowBodies,
): Rule =>
  async function limitInProgress(ctx, next) {
    const shares = ctx.state.caller === undefined ? ofOthers : ofAccounts;
    const client = clientOf(ctx.state);
    let taken = shares.take(client, 1);
    // A request that waits for a slow body makes room, which takes a moment.
    for (let tries = 0; !taken && tries < 3 && shares === ofOthers; tries++) {
      if (tries === 0 && !slow.endSlowest(client)) break;
      await setImmediate();
      taken = shares.take(client, 1);
    }
    if (!taken) {
      throw limitError(
        'concurrentRequests',
        'Too many requests are in progress. Retry in a second.',
        {
          headers: { 'Retry-After': '1' },
        },
      );
    }
    try {
      await next();
    } finally {
      shares.giveBack(client, 1);
    }
  };
