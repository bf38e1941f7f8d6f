import { createBatchLoader } from '../../ground/batch-loader.ts';
import type { Db } from '../../ground/db.ts';

/** CHOICE: so long after its end an offer is still answered as expired, and then as unknown. */
const rememberedMs = 3_600_000;

type Row = { offerId: string; jws: string; expiresAt: string };

/** Offers in Postgres: known in every process and after a crash, and forgotten once they are over. */
export const createOfferStore = (db: Db) => {
  const put = createBatchLoader<Row, undefined>({
    maxBatch: 200,
    running: 2,
    async load(rows) {
      await db.query(
        `insert into negotiation.offers (offer_id, jws, expires_at)
         select * from unnest($1::text[], $2::text[], $3::timestamptz[])`,
        [
          rows.map(({ offerId }) => offerId),
          rows.map(({ jws }) => jws),
          rows.map(({ expiresAt }) => expiresAt),
        ],
      );
      return rows.map(() => undefined);
    },
  });
  const get = createBatchLoader<string, string | undefined>({
    maxBatch: 200,
    running: 2,
    async load(ids) {
      const { rows } = await db.query<{ offer_id: string; jws: string }>(
        'select offer_id, jws from negotiation.offers where offer_id = any($1)',
        [ids],
      );
      const found = new Map(rows.map(({ offer_id, jws }) => [offer_id, jws]));
      return ids.map((id) => found.get(id));
    },
  });
  return {
    /** Durable when it resolves. */
    put: (row: Row): Promise<undefined> => put(row),
    /** The signed offer; also one that expired a while ago. */
    get,
  };
};

export type OfferStore = ReturnType<typeof createOfferStore>;

/** Deletes offers that expired an hour ago. Returns how many. */
export const sweepOffers = async (db: Db, now: number): Promise<number> => {
  const { rowCount } = await db.query('delete from negotiation.offers where expires_at < $1', [
    new Date(now - rememberedMs),
  ]);
  return rowCount ?? 0;
};

/** For the operator: the account that a kept offer was made to; undefined also for one without an account. */
export const offeredTo = async (db: Db, offerId: string): Promise<string | undefined> => {
  const { rows } = await db.query<{ jws: string }>(
    'select jws from negotiation.offers where offer_id = $1',
    [offerId],
  );
  const payload = rows[0]?.jws.split('.')[1];
  if (payload === undefined) return undefined;
  const { account_id: accountId } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
  return typeof accountId === 'string' ? accountId : undefined;
};
