/** Takes an amount, or a place among the unpaid top-ups of an account, for one top-up at a time. */
import { randomUUID } from 'node:crypto';
import type { CommandHandler } from '../handling/handle.ts';
import {
  type AnnouncedAmount,
  announceAmount,
  announcedAmountAggregate,
} from './announced-amount.ts';

/** The top-up that had it last. `until`: as long as it may need it; `at`: since when. */
export type LastHolder = NonNullable<AnnouncedAmount['last']>;

/**
 * Returns the top-up that has it now: the one that asks, unless `isFree` says of the last one that it still needs it.
 * @param id of the amount or the place
 */
export const createTakeAnnounced =
  (handler: CommandHandler) =>
  async (
    id: string,
    announced: { topUpId: string; accountId: string; until: string },
    isFree: (last: LastHolder) => Promise<boolean>,
  ): Promise<LastHolder> => {
    const { last } = (await handler.load(announcedAmountAggregate, id)).state;
    const free = last === undefined || (await isFree(last));
    const context = { commandId: randomUUID(), actor: 'payments' };
    const { state } = await handler.handle(announcedAmountAggregate, id, context, (one) =>
      announceAmount(one, {
        type: 'AnnounceAmount',
        announced,
        isFree: free && one.last?.topUpId === last?.topUpId,
      }),
    );
    if (!state.last) throw new Error('an amount that was announced is not');
    return state.last;
  };
