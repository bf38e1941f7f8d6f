import pg from 'pg';
import { createPostgresEventStore } from '../../infra/event-store/postgres/index.ts';
import { freshDatabase } from '../support/postgres.ts';
import { eventStoreContract } from './event-store.ts';

eventStoreContract(
  'the Postgres event store',
  { dense: true, appendAll: true, reopen: true },
  async () => {
    const { url, drop } = await freshDatabase();
    const open = () => createPostgresEventStore({ url });
    let store = await open();
    return {
      store,
      async reopen() {
        await store.close();
        store = await open();
        return store;
      },
      async subjects() {
        const client = new pg.Client({ connectionString: url });
        await client.connect();
        const { rows } = await client.query<{ subject: string }>(
          'select subject from keys.data_keys',
        );
        await client.end();
        return rows.map(({ subject }) => subject);
      },
      async cleanup() {
        await store.close();
        await drop();
      },
    };
  },
);
