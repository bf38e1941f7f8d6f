import type { QuoteStore } from '../../commands/preparation/quote.ts';
import type { Db } from '../../ground/db.ts';

const schema = `
-- Two processes that start at once must not make the schema at once.
select pg_advisory_xact_lock(7305513262);
create schema if not exists quotes;
-- name: SHA-256 of the quote's id, hex. quote: JSON, nothing personal.
create table if not exists quotes.held (
  name text collate "C" primary key,
  quote text not null,
  expires_at timestamptz not null
);
create index if not exists held_expires_at on quotes.held (expires_at);`;

/** CHOICE: so long after its end a quote is still answered as expired, and then as unknown. */
const rememberedMs = 86_400_000;

export const prepareQuotes = async (db: Db): Promise<void> => {
  await db.query(schema);
};

/** Quotes in Postgres: valid in every process and after a crash. */
export const createQuoteStore = (db: Db): QuoteStore => ({
  async put(name, quote, expiresAt) {
    await db.query('insert into quotes.held (name, quote, expires_at) values ($1, $2, $3)', [
      name,
      quote,
      expiresAt,
    ]);
  },
  async get(name) {
    const { rows } = await db.query<{ quote: string }>(
      'select quote from quotes.held where name = $1',
      [name],
    );
    return rows[0]?.quote;
  },
});

/** Deletes quotes that expired a day ago. Returns how many. */
export const sweepQuotes = async (db: Db, now: number): Promise<number> => {
  const { rowCount } = await db.query('delete from quotes.held where expires_at < $1', [
    new Date(now - rememberedMs),
  ]);
  return rowCount ?? 0;
};
