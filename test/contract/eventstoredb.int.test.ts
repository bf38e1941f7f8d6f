import { createEventStoreDb } from '../../infra/event-store/eventstoredb.ts';
import { serverVersions } from '../support/eventstoredb-read.ts';
import { startEventStoreDbServer } from '../support/eventstoredb-server.ts';
import { eventStoreContract } from './event-store.ts';

for (const version of serverVersions) {
  eventStoreContract(`EventStoreDB client on the stand-in server ${version}`, async () => {
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
  });
}

const realServer = process.env.ESDB_URL;

if (realServer === undefined) {
  describe('a real EventStoreDB server', () => {
    it('is tested by the same contract when ESDB_URL is set', function () {
      this.skip();
    });
  });
} else {
  eventStoreContract('a real EventStoreDB server', async () => {
    const open = () => createEventStoreDb({ connectionString: realServer });
    const store = open();
    return { store, reopen: async () => open(), cleanup: () => store.close() };
  });
}
