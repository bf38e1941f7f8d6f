/** The first start of a service on a server that others write to. */
import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { expect } from 'chai';
import { StartRefused } from '../../contract/start-refused.ts';
import { rejection } from '../contract/event-store.ts';
import { startEventStoreDbServer } from '../support/eventstoredb-server.ts';
import { freshDatabase } from '../support/postgres.ts';
import { startTestService } from '../support/service.ts';
import { atRest } from '../support/service-process.ts';
import { registerAccount, sendOne } from '../support/some-letters.ts';

const standIn = async () => {
  const server = await startEventStoreDbServer();
  return { url: server.connectionString, close: () => server.close() };
};
const realServer = process.env.ESDB_URL;
/** A server of your own is tried too: set ESDB_URL. */
const servers = {
  'the stand-in': standIn,
  ...(realServer === undefined
    ? {}
    : { 'the server at ESDB_URL': async () => ({ url: realServer, close: async () => {} }) }),
};

for (const [name, open] of Object.entries(servers)) {
  describe(`a first start beside streams of others, on ${name}`, function () {
    this.timeout(180_000);
    let server: Awaited<ReturnType<typeof open>>;
    let client: EventStoreDBClient;

    before(async () => {
      server = await open();
      client = EventStoreDBClient.connectionString(server.url);
      await othersWrite();
    });
    after(async () => {
      await client?.dispose();
      await server?.close();
    });

    /** To streams with names like those of the service, events of types that it does not know. */
    const othersWrite = async (): Promise<void> => {
      for (const stream of ['orders-1', `order-${randomUUID()}`, 'letters']) {
        const event = jsonEvent({ type: 'orderOpened', data: { n: 1 } });
        await client.appendToStream(stream, event);
      }
    };

    const start = (env: Record<string, string> = {}) =>
      startTestService({ EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: server.url, ...env });

    it('makes a master key, and works', async () => {
      const service = await start();
      try {
        const account = await registerAccount(service.url);
        await sendOne(service.url, account);
        await othersWrite();
        await sendOne(service.url, account);
        await atRest(service.url);
      } finally {
        await service.stop();
      }
    });

    it('is refused when the log holds an event of the service and the key is missing', async () => {
      const database = await freshDatabase();
      try {
        const refused = await rejection(start({ DATABASE_URL: database.url }));
        expect(refused).to.be.instanceOf(StartRefused);
        expect(String(refused)).to.contain('There is no master key');
      } finally {
        await database.drop();
      }
    });
  });
}
