/**
 * Emmett's Postgres store under the same callers as ours: a new stream each, one event, expected not to
 * exist. Started with a channel: takes an `AppendPlan`, answers `Measured`.
 */
import { randomUUID } from 'node:crypto';
import { getPostgreSQLEventStore } from '@event-driven-io/emmett-postgresql';
import pg from 'pg';
import { closedLoop } from '../load/closed-loop.ts';

const run = async ({ url, data, pool: max, ...loop }) => {
  const pool = new pg.Pool({ connectionString: url, max });
  const store = getPostgreSQLEventStore(url, { connectionOptions: { pool } });
  await store.schema.migrate();
  let acked = 0;
  let firstFailure;
  const measured = await closedLoop(loop, async () => {
    const event = { type: 'BenchmarkEvent', data };
    const options = { expectedStreamVersion: 'STREAM_DOES_NOT_EXIST' };
    try {
      await store.appendToStream(`bench-${randomUUID()}`, [event], options);
      acked++;
      return true;
    } catch (error) {
      firstFailure ??= String(error);
      return false;
    }
  });
  const { rows } = await pool.query('select count(*) as stored from emt_messages');
  const stored = Number(rows[0].stored);
  await store.close();
  await pool.end().catch(() => {});
  return { ...measured, acked, stored, firstFailure };
};

process.once('message', (plan) => {
  run(plan).then(
    (result) => process.send(result, () => process.disconnect()),
    (error) => {
      console.error(error);
      process.exit(1);
    },
  );
});
