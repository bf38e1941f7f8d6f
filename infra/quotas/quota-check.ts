/** The remaining quotas of an account for sending and keeping letters. */

import { type AppError, isAppError } from '../../contract/errors.ts';
import type { Db } from '../../ground/db.ts';
import { numberOf } from '../../ground/plural.ts';
import { limitError } from '../../limits/limit-error.ts';
import type { Limits } from '../../limits/table.ts';
import { createDraftHolds } from './draft-holds.ts';
import { createLetterGrants } from './letter-grants.ts';
import { createLettersPerDay, type Refused } from './letters-per-day.ts';

type Sender = { accountId: string; test: boolean };

const used = (
  limit: 'liveLettersPerDay' | 'testLettersPerDay' | 'draftsPerAccount',
  what: string,
  way: string,
  { quota, againMs }: { quota: number; againMs: number },
): AppError =>
  limitError(limit, `The account has used its quota of ${what}; ${way}`, {
    extra: { quota },
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(againMs / 1_000))) },
  });

/** Of an error that is not ours, and of one that came late, it is asked whether the letter is there. */
const sentNothing = async (error: unknown, isThere: () => Promise<boolean>): Promise<boolean> => {
  if (!isAppError(error)) return false;
  return error.status < 500 || !(await isThere().catch(() => true));
};

export const createQuotaCheck = (ports: {
  db: Db;
  limits: Pick<Limits, 'liveLettersPerDay' | 'testLettersPerDay' | 'draftsPerAccount'>;
}) => {
  const { db, limits } = ports;

  const lettersOf = (name: 'liveLettersPerDay' | 'testLettersPerDay') =>
    createLettersPerDay({ grants: createLetterGrants(db, { name, usual: limits[name] }) });
  const live = lettersOf('liveLettersPerDay');
  const test = lettersOf('testLettersPerDay');
  const drafts = createDraftHolds(db, limits.draftsPerAccount);
  const lettersFor = ({ test: isTest }: Sender) => (isTest ? test : live);
  const noneLeft = (sender: Sender, { quota, waitMs }: Refused): AppError => {
    const way = 'send more when 24 hours have passed since the oldest, or ask the operator.';
    const what = `${numberOf(quota, 'letter')} in 24 hours`;
    const limit = sender.test ? 'testLettersPerDay' : 'liveLettersPerDay';
    return used(limit, what, way, { quota, againMs: waitMs });
  };

  return {
    /**
     * Sends a letter, if the account may send one more. Requests that send nothing, and repetitions, do not
     * count. A repetition (`isRepeated`) is answered even when nothing is left.
     * @throws AppError quota_exceeded; errors of `send`
     */
    async counted<T extends { sent: boolean }>(
      sender: Sender,
      send: () => Promise<T>,
      isRepeated: () => Promise<boolean>,
    ): Promise<T> {
      const letters = lettersFor(sender);
      const counted = await letters.count(sender.accountId);
      if ('quota' in counted) {
        if (await isRepeated()) return send();
        throw noneLeft(sender, counted);
      }
      try {
        const outcome = await send();
        if (!outcome.sent) letters.uncount(counted);
        return outcome;
      } catch (error) {
        if (await sentNothing(error, isRepeated)) letters.uncount(counted);
        throw error;
      }
    },

    /** Whether the account may send one more letter now. Counts nothing. @throws AppError quota_exceeded */
    async assertLeft(sender: Sender): Promise<void> {
      const refused = await lettersFor(sender).look(sender.accountId);
      if (refused) throw noneLeft(sender, refused);
    },

    /**
     * Keeps a letter if the account may have one more draft. A repeated request, and a send of an existing
     * draft, always may. @throws AppError quota_exceeded; what `keep` throws
     */
    async drafted<T>(
      { accountId }: Sender,
      letterId: string,
      keep: () => Promise<T>,
      isRepeated: () => Promise<boolean>,
    ): Promise<T> {
      const { taken, quota } = await drafts.take(accountId, letterId);
      if (!taken && !(await isRepeated())) {
        throw used(
          'draftsPerAccount',
          numberOf(quota, 'draft'),
          'send, cancel or delete one first.',
          {
            quota,
            againMs: 60_000,
          },
        );
      }
      try {
        return await keep();
      } catch (error) {
        if (taken === 'now' && (await sentNothing(error, isRepeated)))
          await drafts.giveBack(letterId);
        throw error;
      }
    },

    /** Gives back letters that this process may send and did not. */
    tidy: async (): Promise<void> => {
      await Promise.all([live.tidy(), test.tidy()]);
    },
    close: async (): Promise<void> => {
      await Promise.all([live.close(), test.close()]);
    },
  };
};

export type QuotaCheck = ReturnType<typeof createQuotaCheck>;
