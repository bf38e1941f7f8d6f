/** The last requests of each account. They are written in batches, after they were answered. */

import type { LoggedRequest } from '../../contract/logged-request.ts';
import { createBoundedMap } from '../../ground/bounded-map.ts';
import type { Clock } from '../../ground/clock.ts';
import { dayMs } from '../../ground/day.ts';
import { allRows, type Db } from '../../ground/db.ts';

const writeEveryMs = 1_000;
/** Beyond this, requests are answered and not logged until the next batch is written. */
const mostWaiting = 20_000;
/** The number of accounts whose requests are counted between trims of their logs. */
const mostCounted = 50_000;

type Waiting = LoggedRequest & { at: number };

type RequestRow = {
  id: bigint;
  key_id: string;
  operation: string;
  status: number;
  code: string | null;
  request_id: string;
  ms: number;
  at: Date;
};

/**
 * Trims the log of an account each time the account wrote another tenth of what is kept. A trim reads all requests of the
 * account, so it does not run after each request.
 */
const createTrimming = ({ db, mostPerAccount }: { db: Db; mostPerAccount: number }) => {
  const counts = createBoundedMap<string, number>(mostCounted);
  const between = Math.ceil(mostPerAccount / 10);

  return async (written: readonly Waiting[]): Promise<void> => {
    for (const { accountId } of written) counts.set(accountId, (counts.get(accountId) ?? 0) + 1);
    const due = [...new Set(written.map(({ accountId }) => accountId))].filter(
      (accountId) => (counts.get(accountId) ?? 0) >= between,
    );
    if (due.length === 0) return;
    for (const accountId of due) counts.delete(accountId);
    // Rows that another process removes are skipped, because two processes that wait for each other are a deadlock.
    await db.query(
      `delete from console.requests where id = any(array(
         select r.id from unnest($1::text[]) as due (account_id)
         cross join lateral (
           select id from console.requests kept where kept.account_id = due.account_id
           order by id desc offset $2 limit 1) newest
         join console.requests r on r.account_id = due.account_id and r.id <= newest.id
         for update of r skip locked))`,
      [due, mostPerAccount],
    );
  };
};

export const createRequestLog = (options: {
  db: Db;
  clock: Clock;
  /** Kept of each account. */
  mostPerAccount: number;
  keptDays: number;
  onError: (error: unknown) => void;
}) => {
  const { db, clock, keptDays, onError } = options;
  const trim = createTrimming(options);
  let waiting: Waiting[] = [];

  const write = async (): Promise<void> => {
    if (waiting.length === 0) return;
    const batch = waiting;
    waiting = [];
    await db.query(
      `insert into console.requests (account_id, key_id, operation, status, code, request_id, ms, at)
       select "accountId", "keyId", operation, status, code, "requestId", ms, to_timestamp(at / 1000.0)
       from json_to_recordset($1::json) as added ("accountId" text, "keyId" text, operation text,
         status smallint, code text, "requestId" text, ms integer, at double precision)`,
      [JSON.stringify(batch)],
    );
    await trim(batch);
  };
  const timer = setInterval(() => void write().catch(onError), writeEveryMs);
  timer.unref();

  return {
    /** Costs the request nothing but memory. */
    note(request: LoggedRequest): void {
      if (waiting.length < mostWaiting) waiting.push({ ...request, at: clock() });
    },

    /** Newest first. @param before the id of the row before the page */
    async list(
      accountId: string,
      wanted: { failed: boolean; before: bigint | undefined; limit: number },
    ): Promise<RequestRow[]> {
      return allRows<RequestRow>(
        db,
        `select id, key_id, operation, status, code, request_id, ms, at from console.requests
         where account_id = $1 and ($2::bigint is null or id < $2) and (not $3 or status >= 400)
         order by id desc limit $4`,
        [accountId, wanted.before ?? null, wanted.failed, wanted.limit],
      );
    },

    /** Removes requests that are too old. */
    async tidy(): Promise<void> {
      await db.query('delete from console.requests where at <= $1', [
        new Date(clock() - keptDays * dayMs),
      ]);
    },

    async stop(): Promise<void> {
      clearInterval(timer);
      await write().catch(onError);
    },
  };
};
