import type pg from 'pg';
import { StoreUnavailable } from '../../events/event-store.ts';
import type { Transaction, TransactionalDb } from '../../ground/db.ts';
import {
  createPool,
  isConnectionError,
  queryTimeoutMs,
  types,
  unavailable,
  type WhenLost,
} from '../event-store/postgres/connection.ts';
import { copyIn } from './copy-in.ts';

/** Idle connections are given back: several instances share the server's. */
const idleMs = 10_000;

/**
 * How long a process may be silent within a transaction, unless it is unlimited. A process that hangs, or whose machine
 * is gone, would otherwise keep its locks for hours: the server learns nothing of it.
 */
const usualSilentMs = 30_000;

/**
 * A pool for read models. `lazyCommit`: commits do not wait for the disk, which is right for what can
 * be projected again: rows and checkpoint are lost together or not at all.
 */
export const createReadDb = (options: {
  url: string;
  max: number;
  applicationName: string;
  lazyCommit?: boolean;
  /** Rows are found by indexes, whatever the planner knows of tables that grow fast. */
  byKeys?: boolean;
  /** How long a connection rests before it is given back. Absent: 10 s. */
  idleMs?: number;
  /** How long a query may take that is not part of an unlimited transaction. */
  queryTimeoutMs?: number;
  /** How long a process may be silent within a transaction, unless it is unlimited. Absent: 30 s. */
  silentMs?: number;
  /** Whether the database is known to hang or to take no writes: nothing is asked of it then. */
  isLost?: () => boolean;
  whenLost?: WhenLost;
  onError: (error: Error) => void;
}): TransactionalDb & { pool: pg.Pool; close(): Promise<void> } => {
  const { silentMs = usualSilentMs } = options;
  const limited = `begin; set local idle_in_transaction_session_timeout = ${silentMs}`;
  const pool = createPool({
    ...options,
    settings: options.byKeys ? planByIndexes : [],
    config: {
      query_timeout: options.queryTimeoutMs ?? queryTimeoutMs,
      idleTimeoutMillis: options.idleMs ?? idleMs,
      types,
    },
  });
  const assertThere = (): void => {
    if (options.isLost?.())
      throw new StoreUnavailable('the database gives no answer, or takes no writes, at the moment');
  };
  return {
    pool,
    async query(text, values) {
      assertThere();
      return pool.query(prepared(text, values)).catch(told) as never;
    },
    async transaction(work, { unlimited } = { unlimited: false }) {
      assertThere();
      const client = await pool.connect().catch(told);
      // A connection that is lost between two statements fails the next one, and not the process.
      client.on('error', options.onError);
      const timeout = unlimited ? { query_timeout: maxTimeoutMs } : {};
      try {
        await client.query(unlimited ? 'begin' : limited);
        const tx: Transaction = {
          query: (text, values) => client.query({ ...prepared(text, values), ...timeout }) as never,
          copyIn: (into, rows) => copyIn(client, { into, rows, timeoutMs: maxTimeoutMs }),
        };
        const result = await work(tx);
        await client.query('commit');
        client.release();
        return result;
      } catch (error) {
        const broken = isBroken(error);
        if (!broken) await client.query('rollback').catch(() => {});
        client.release(broken);
        return told(error);
      } finally {
        client.off('error', options.onError);
      }
    },
    close: () => pool.end(),
  };
};

const planByIndexes = ['enable_seqscan=off', 'enable_hashjoin=off', 'enable_mergejoin=off'];

/** The longest time of a timer: 24 days. */
const maxTimeoutMs = 2 ** 31 - 1;

/** A database that is away is the same to callers as an event store that is. */
const told = (error: unknown): never => {
  throw isConnectionError(error) ? unavailable(error) : error;
};

/** Whether the connection is of no further use. */
const isBroken = (error: unknown): boolean =>
  isConnectionError(error) ||
  (error instanceof Error && !('code' in error && /^[0-9A-Z]{5}$/.test(String(error.code))));

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
