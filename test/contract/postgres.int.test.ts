import { createPostgresEventStore } from '../../infra/event-store/postgres/index.ts';
import { freshDatabase } from '../support/postgres.ts';
import { eventStoreContract } from './event-store.ts';

eventStoreContract('the Postgres event store', async () => {
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
    async cleanup() {
      await store.close();
      await drop();
    },
  };
});
