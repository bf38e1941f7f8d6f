/** What an account may still send and keep, counted in the read models. */
import type { Quotas } from '../../commands/accounts/account.ts';
import { createBoundedMap } from '../../contract/bounded-map.ts';
import type { Clock } from '../../contract/clock.ts';
import type { Db } from '../../contract/db.ts';
import { AppError } from '../../contract/errors.ts';
import type { Limits } from '../../contract/limits.ts';
import { quotasOf } from '../../projections/accounts/query.ts';
import { draftsOf, nthNewestLetter } from '../../projections/letters/query.ts';

/** So long a count is taken as still so, beside what this process adds to it. */
const freshForMs = 30_000;
const maxKnown = 20_000;
const dayMs = 86_400_000;

type Known = { readAtMs: number; left: number; againAtMs: number };
type Sender = { accountId: string; test: boolean };

const used = (what: string, quota: number, way: string, againMs: number): AppError =>
  new AppError('quota_exceeded', `The account has used its quota of ${quota} ${what}; ${way}`, {
    extra: { quota },
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(againMs / 1_000))) },
  });

export const createQuotaCheck = (ports: {
  db: Db;
  clock: Clock;
  limits: Pick<Limits, 'liveLettersPerDay' | 'testLettersPerDay' | 'draftsPerAccount'>;
}) => {
  const { db, clock, limits } = ports;
  const known = createBoundedMap<string, Known & { quota: number }>(maxKnown);

  const quotaOf = async (
    accountId: string,
    name: Exclude<keyof Quotas, 'storedBytesPerAccount'>,
  ): Promise<number> => (await quotasOf(db, accountId))[name] ?? limits[name];

  /** How many letters are left of the last 24 hours: exactly when few are, at least half of it else. */
  const read = async ({ accountId, test }: Sender): Promise<Known & { quota: number }> => {
    const quota = await quotaOf(accountId, test ? 'testLettersPerDay' : 'liveLettersPerDay');
    const now = clock();
    const since = now - dayMs;
    const readAtMs = performance.now();
    if (quota === 0) return { quota, readAtMs, left: 0, againAtMs: now + dayMs };
    const half = Math.ceil(quota / 2);
    const middle = await nthNewestLetter(db, accountId, half);
    if (!middle || middle.getTime() <= since) {
      return { quota, readAtMs, left: quota - half, againAtMs: now };
    }
    const { letters, oldest } = await lettersIn(accountId, since, quota);
    return { quota, readAtMs, left: quota - letters, againAtMs: (oldest ?? now) + dayMs };
  };

  const lettersIn = async (accountId: string, sinceMs: number, quota: number) => {
    const { rows } = await db.query<{ letters: number; oldest: Date | null }>(
      `select count(*)::int as letters, min(created_at) as oldest from (
         select created_at from read_models.letters where account_id = $1
         order by created_position desc limit $2
       ) newest where created_at > $3::timestamptz`,
      [accountId, quota, new Date(sinceMs).toISOString()],
    );
    return { letters: rows[0]?.letters ?? 0, oldest: rows[0]?.oldest?.getTime() };
  };

  return {
    /** @throws AppError quota_exceeded */
    async assertMaySend(sender: Sender): Promise<void> {
      const { accountId } = sender;
      const found = known.get(accountId);
      const fresh = found && performance.now() - found.readAtMs < freshForMs && found.left > 0;
      const counted = fresh ? found : await read(sender);
      if (!fresh) known.set(accountId, counted);
      if (counted.left <= 0) {
        const way = 'send more when 24 hours have passed since the oldest, or ask the operator.';
        const againMs = counted.againAtMs - clock();
        throw used('letters in 24 hours', counted.quota, way, againMs);
      }
      counted.left--;
    },

    /** @throws AppError quota_exceeded */
    async assertMayDraft({ accountId }: Sender): Promise<void> {
      const quota = await quotaOf(accountId, 'draftsPerAccount');
      if ((await draftsOf(db, accountId, quota)) < quota) return;
      throw used('drafts', quota, 'send, cancel or delete one first.', 60_000);
    },
  };
};

export type QuotaCheck = ReturnType<typeof createQuotaCheck>;
