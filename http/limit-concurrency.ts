import { setImmediate } from 'node:timers/promises';
import { AppError } from '../contract/errors.ts';
import { clientOf, type Rule } from './rule.ts';
import type { Shares } from './shares.ts';
import type { SlowBodies } from './slow-bodies.ts';

/**
 * Refuses what a client has in progress beyond its share. `ofAccounts` and `ofOthers` are two pots, so that
 * whoever shows no valid credential never takes the place of one who does.
 */
export const limitConcurrency = (ofAccounts: Shares, ofOthers: Shares, slow: SlowBodies): Rule =>
  async function limitInProgress(ctx, next) {
    const shares = ctx.state.caller === undefined ? ofOthers : ofAccounts;
    const client = clientOf(ctx.state);
    let taken = shares.take(client, 1);
    // Who waits for a body that hardly comes makes room, which takes it a moment.
    for (let tries = 0; !taken && tries < 3 && shares === ofOthers; tries++) {
      if (tries === 0 && !slow.endSlowest(client)) break;
      await setImmediate();
      taken = shares.take(client, 1);
    }
    if (!taken) {
      throw new AppError('overloaded', 'Too many requests are in progress. Retry in a second.', {
        headers: { 'Retry-After': '1' },
      });
    }
    try {
      await next();
    } finally {
      shares.giveBack(client, 1);
    }
  };
