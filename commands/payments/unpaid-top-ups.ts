/** Limits how many top-ups of an account wait for their payment at a time. */
import type { AppError } from '../../contract/errors.ts';
import { placeKeyOf, type TopUpMethodName } from '../../events/top-up.ts';
import { type Clock, toTimestamp } from '../../ground/clock.ts';
import { limitError } from '../../limits/limit-error.ts';
import { defaultLimits } from '../../limits/table.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { createTakeAnnounced, type LastHolder } from './take-announced.ts';
import { topUpAggregate } from './top-up.ts';

/** How long a request that took a place may take until its top-up is on record. */
const recordMs = 60_000;

/** Transfers of USDC have places of their own, because each takes an amount that nobody else can use meanwhile. */
const limitOf = (method: TopUpMethodName) =>
  method === 'usdc' ? 'unpaidTransfersPerAccount' : 'unpaidTopUpsPerAccount';

const tooMany = (
  method: TopUpMethodName,
  unpaid: readonly { topUpId: string; until: string }[],
): AppError => {
  const [next] = unpaid.toSorted((a, b) => (a.until < b.until ? -1 : 1));
  const ids = unpaid.map(({ topUpId }) => topUpId);
  const [kind, pay] =
    method === 'usdc'
      ? ['USDC', 'Transfer the amount of one of them']
      : ['card and Lightning', 'Pay one of them'];
  return limitError(
    limitOf(method),
    `Your account has ${unpaid.length} unpaid ${kind} top-ups. ${pay} (GET /api/topup/${ids[0]}), or wait until ${next?.until}.`,
    { extra: { topup_ids: ids, retry_at: next?.until } },
  );
};

export const createUnpaidTopUps = ({
  handler,
  clock,
}: {
  handler: CommandHandler;
  clock: Clock;
}) => {
  const take = createTakeAnnounced(handler);

  const isFree = async (last: LastHolder): Promise<boolean> => {
    const now = clock();
    if (Date.parse(last.until) <= now) return true;
    const { status } = (await handler.load(topUpAggregate, last.topUpId)).state;
    // The request that took the place has failed.
    const hasFailed = status === 'none' && Date.parse(last.at) + recordMs <= now;
    return hasFailed || status === 'paid' || status === 'expired';
  };

  return {
    /**
     * A place for a top-up that can be paid for `payableMs`; the same one again keeps its place.
     * @throws AppError topup_limit_reached
     */
    async takePlace(
      { topUpId, accountId }: { topUpId: string; accountId: string },
      { method, payableMs }: { method: TopUpMethodName; payableMs: number },
    ): Promise<void> {
      const until = toTimestamp(clock() + payableMs);
      const unpaid: LastHolder[] = [];
      for (let place = 0; place < defaultLimits[limitOf(method)]; place++) {
        const id = placeKeyOf(accountId, method, place);
        const last = await take(id, { topUpId, accountId, until }, isFree);
        if (last.topUpId === topUpId) return;
        unpaid.push(last);
      }
      throw tooMany(method, unpaid);
    },
  };
};
