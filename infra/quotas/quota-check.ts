/** What an account may still send and keep. */
import type { Quotas } from '../../commands/accounts/account.ts';
import type { Db } from '../../contract/db.ts';
import { AppError, isAppError } from '../../contract/errors.ts';
import type { Limits } from '../../contract/limits.ts';
import { quotasOf } from '../../projections/accounts/query.ts';
import { draftsOf } from '../../projections/letters/query.ts';
import { createLetterGrants } from './letter-grants.ts';
import { createLettersPerDay } from './letters-per-day.ts';

type Sender = { accountId: string; test: boolean };

const used = (what: string, quota: number, way: string, againMs: number): AppError =>
  new AppError('quota_exceeded', `The account has used its quota of ${quota} ${what}; ${way}`, {
    extra: { quota },
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(againMs / 1_000))) },
  });

export const createQuotaCheck = (ports: {
  db: Db;
  limits: Pick<Limits, 'liveLettersPerDay' | 'testLettersPerDay' | 'draftsPerAccount'>;
}) => {
  const { db, limits } = ports;

  const quotaOf = async (
    accountId: string,
    name: Exclude<keyof Quotas, 'storedBytesPerAccount'>,
  ): Promise<number> => (await quotasOf(db, accountId))[name] ?? limits[name];

  const lettersOf = (name: 'liveLettersPerDay' | 'testLettersPerDay') =>
    createLettersPerDay({
      grants: createLetterGrants(db),
      quotaOf: (accountId) => quotaOf(accountId, name),
    });
  const live = lettersOf('liveLettersPerDay');
  const test = lettersOf('testLettersPerDay');

  return {
    /**
     * Sends a letter, if the account may send one more. What sent none, or is a repetition, does not count; a
     * repetition (`isRepeated`) is answered also when nothing is left.
     * @throws AppError quota_exceeded; what `send` throws
     */
    async counted<T extends { sent: boolean }>(
      sender: Sender,
      send: () => Promise<T>,
      isRepeated: () => Promise<boolean>,
    ): Promise<T> {
      const letters = sender.test ? test : live;
      const counted = await letters.count(sender.accountId);
      if ('quota' in counted) {
        if (await isRepeated()) return send();
        const way = 'send more when 24 hours have passed since the oldest, or ask the operator.';
        throw used('letters in 24 hours', counted.quota, way, counted.waitMs);
      }
      try {
        const outcome = await send();
        if (!outcome.sent) letters.uncount(counted);
        return outcome;
      } catch (error) {
        // Of any other error it is not known whether the letter was sent.
        if (isAppError(error)) letters.uncount(counted);
        throw error;
      }
    },

    /** @throws AppError quota_exceeded, unless the request is a repetition */
    async assertMayDraft({ accountId }: Sender, isRepeated: () => Promise<boolean>): Promise<void> {
      const quota = await quotaOf(accountId, 'draftsPerAccount');
      if ((await draftsOf(db, accountId, quota)) < quota || (await isRepeated())) return;
      throw used('drafts', quota, 'send, cancel or delete one first.', 60_000);
    },

    /** Gives back what this process may send and did not. */
    tidy: async (): Promise<void> => {
      await Promise.all([live.tidy(), test.tidy()]);
    },
    close: async (): Promise<void> => {
      await Promise.all([live.close(), test.close()]);
    },
  };
};

export type QuotaCheck = ReturnType<typeof createQuotaCheck>;
