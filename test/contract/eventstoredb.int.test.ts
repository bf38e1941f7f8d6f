import { createEventStoreDb } from '../../infra/event-store/eventstoredb.ts';
import { serverVersions } from '../support/eventstoredb-read.ts';
import { startEventStoreDbServer } from '../support/eventstoredb-server.ts';
import { eventStoreContract } from './event-store.ts';

for (const version of serverVersions) {
  eventStoreContract(
    `EventStoreDB client on the stand-in server ${version}`,
    { reopen: true },
    async () => {
      const server = await startEventStoreDbServer({ version });
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
    },
  );
}

const realServer = process.env.ESDB_URL;

/** The same contract on a server of your own: set ESDB_URL. */
if (realServer !== undefined) {
  eventStoreContract('a real EventStoreDB server', { reopen: true }, async () => {
    const open = () => createEventStoreDb({ connectionString: realServer });
    const store = open();
    return { store, reopen: async () => open(), cleanup: () => store.close() };
  });
}
