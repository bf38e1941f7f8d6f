import { AppError } from '../contract/errors.ts';
import { clientOf, type Rule } from './rule.ts';
import type { Shares } from './shares.ts';

/**
 * Refuses what a client has in progress beyond its share. `ofAccounts` and `ofOthers` are two pots, so that
 * whoever shows no valid credential never takes the place of one who does.
 */
export const limitConcurrency = (ofAccounts: Shares, ofOthers: Shares): Rule =>
  async function limitInProgress(ctx, next) {
    const shares = ctx.state.caller === undefined ? ofOthers : ofAccounts;
    const client = clientOf(ctx.state);
    if (!shares.take(client, 1)) {
      throw new AppError('overloaded', 'Too many requests are in progress; retry in a second.', {
        headers: { 'Retry-After': '1' },
      });
    }
    try {
      await next();
    } finally {
      shares.giveBack(client, 1);
    }
  };
