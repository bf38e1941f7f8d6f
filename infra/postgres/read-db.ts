import type pg from 'pg';
import type { Db, TransactionalDb } from '../../contract/db.ts';
import { StoreUnavailable } from '../../events/event-store.ts';
import { createPool, isConnectionError, types } from '../event-store/postgres/connection.ts';

/**
 * A pool for read models. `lazyCommit`: commits do not wait for the disk, which is right for what can
 * be projected again: rows and checkpoint are lost together or not at all.
 */
export const createReadDb = (options: {
  url: string;
  max: number;
  applicationName: string;
  lazyCommit?: boolean;
  onError: (error: Error) => void;
}): TransactionalDb & { pool: pg.Pool; close(): Promise<void> } => {
  const pool = createPool({
    ...options,
    config: {
      idleTimeoutMillis: 60_000,
      types,
      ...(options.lazyCommit ? { options: '-c synchronous_commit=off' } : {}),
    },
  });
  return {
    pool,
    query: (text, values) => pool.query(prepared(text, values)).catch(told) as never,
    async transaction(work) {
      const client = await pool.connect().catch(told);
      try {
        await client.query('begin');
        const db: Db = { query: (text, values) => client.query(prepared(text, values)) as never };
        const result = await work(db);
        await client.query('commit');
        client.release();
        return result;
      } catch (error) {
        const broken = isBroken(error);
        if (!broken) await client.query('rollback').catch(() => {});
        client.release(broken);
        return told(error);
      }
    },
    close: () => pool.end(),
  };
};

/** A database that is away is the same to callers as an event store that is. */
const told = (error: unknown): never => {
  throw isConnectionError(error)
    ? new StoreUnavailable('the database does not answer', error)
    : error;
};

const isBroken = (error: unknown): boolean =>
  error instanceof Error && !('code' in error && /^[0-9A-Z]{5}$/.test(String(error.code)));

/** Statements with parameters are prepared once per connection, under their own text. */
const names = new Map<string, string>();
const prepared = (text: string, values: unknown[] | undefined): pg.QueryConfig => {
  if (!values) return { text };
  let name = names.get(text);
  if (name === undefined && names.size < 500) {
    name = `q${names.size}`;
    names.set(text, name);
  }
  return name === undefined ? { text, values } : { name, text, values };
};
