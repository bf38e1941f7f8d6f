import { createEventStoreDb } from '../../infra/event-store/eventstoredb.ts';
import { startEventStoreDbServer } from '../support/eventstoredb-server.ts';
import { eventStoreContract } from './event-store.ts';

eventStoreContract('EventStoreDB client on the stand-in server', async () => {
  const server = await startEventStoreDbServer();
  const open = () => createEventStoreDb({ connectionString: server.connectionString });
  const store = open();
  return {
    store,
    reopen: async () => open(),
    cleanup: async () => {
      await store.close();
      await server.close();
    },
  };
});
