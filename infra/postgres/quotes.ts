import { type QuoteStore, storedNameOf } from '../../commands/preparation/quote.ts';
import { dayMs } from '../../ground/day.ts';
import type { Db } from '../../ground/db.ts';

/** CHOICE: so long after its end a quote is still answered as expired, and then as unknown. */
const rememberedMs = dayMs;

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

/** For the operator: the account that a kept quote is for, and when the quote ends (RFC 3339). */
export const quotedTo = async (
  db: Db,
  quoteId: string,
): Promise<{ accountId: string; expiresAt: string } | undefined> => {
  const { rows } = await db.query<{ quote: string }>(
    'select quote from quotes.held where name = $1',
    [storedNameOf(quoteId)],
  );
  const [row] = rows;
  return row && (JSON.parse(row.quote) as { accountId: string; expiresAt: string });
};
