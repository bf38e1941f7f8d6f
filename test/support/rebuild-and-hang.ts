/**
 * A process that rebuilds the read models as the next version of them and stops short after some
 * batches, of which at least one is written. It tells its parent. Arguments: url of the database, batches.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createPostgresEventStore } from '../../infra/event-store/postgres/index.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { readCheckpoint } from '../../projections/batch.ts';
import { ensureReadModels } from '../../projections/rebuild.ts';
import { nextVersion } from './some-projections.ts';

const [url = '', batches = ''] = process.argv.slice(2);
const onError = () => {};
const db = createReadDb({ url, max: 10, applicationName: 'test-rebuild', onError });
const store = await createPostgresEventStore({ url });
const log = { info: () => {}, warn: () => {}, error: () => {} };
let read = 0;

const readAll: typeof store.readAll = async (options) => {
  if (++read <= Number(batches)) return store.readAll({ ...options, limit: 50 });
  while (!(await readCheckpoint(db, 'letters', 2))) await delay(10);
  process.send?.('far enough');
  return new Promise(() => {});
};
await ensureReadModels({ store: { ...store, readAll }, db, log }, nextVersion, {
  writeEvents: 50,
});
