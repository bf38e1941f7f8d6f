/** The last requests of each account. They are written in batches, after they were answered. */
import type { LoggedRequest } from '../../contract/logged-request.ts';
import type { Clock } from '../../ground/clock.ts';
import type { Db } from '../../ground/db.ts';

const writeEveryMs = 1_000;
/** Beyond this, requests are answered and not logged until the next batch is written. */
const mostWaiting = 20_000;
const dayMs = 86_400_000;

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

export const createRequestLog = (options: {
  db: Db;
  clock: Clock;
  /** Kept of each account. */
  mostPerAccount: number;
  keptDays: number;
  onError: (error: unknown) => void;
}) => {
  const { db, clock, mostPerAccount, keptDays, onError } = options;
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
      const { rows } = await db.query<RequestRow>(
        `select id, key_id, operation, status, code, request_id, ms, at from console.requests
         where account_id = $1 and ($2::bigint is null or id < $2) and (not $3 or status >= 400)
         order by id desc limit $4`,
        [accountId, wanted.before ?? null, wanted.failed, wanted.limit],
      );
      return rows;
    },

    /** Removes requests that are too old, and the oldest ones of accounts that have too many. */
    async tidy(): Promise<void> {
      await db.query('delete from console.requests where at <= $1', [
        new Date(clock() - keptDays * dayMs),
      ]);
      await db.query(
        `delete from console.requests where id in (
           select id from (
             select id, row_number() over (partition by account_id order by id desc) as place
             from console.requests
           ) as ranked where place > $1)`,
        [mostPerAccount],
      );
    },

    async stop(): Promise<void> {
      clearInterval(timer);
      await write().catch(onError);
    },
  };
};
