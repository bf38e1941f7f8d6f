/** The server of a running service comes back with another log, or without the end of its own. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import {
  type EventStoreDbServer,
  startEventStoreDbServer,
} from '../support/eventstoredb-server.ts';
import { call, letterBody } from '../support/letter-client.ts';
import { freshDatabase } from '../support/postgres.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { eventually } from '../support/service-process.ts';
import { atRest, registerAccount, sendOne } from '../support/some-letters.ts';

type Health = { status: string; projections: { state: string; error?: string }[] };

describe('a service whose EventStoreDB comes back with another log', function () {
  this.timeout(180_000);
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let server: EventStoreDbServer;
  let service: TestService;
  let api: TestService;
  let key: string;

  beforeEach(async () => {
    database = await freshDatabase();
    server = await startEventStoreDbServer();
    const env = {
      DATABASE_URL: database.url,
      MASTER_KEY: randomBytes(32).toString('hex'),
      EVENT_STORE: 'eventstoredb',
      EVENTSTORE_URL: server.connectionString,
    };
    service = await startTestService(env);
    api = await startTestService({ ...env, ROLES: 'write-api,read-api' });
    key = await registerAccount(service.url);
    await sendOne(api.url, key);
    // Of this letter, the other process knows nothing.
    await sendOne(service.url, key);
    await atRest(service.url);
    const { read } = server.calls;
    await eventually('each process looks at the end', () => server.calls.read >= read + 12);
  });
  afterEach(async () => {
    await api?.stop();
    await service?.stop();
    await server.close();
    await database.drop();
  });

  const losses: [string, () => void][] = [
    ['an empty one', () => server.replaceLog()],
    ['one without its end', () => server.loseTail(2)],
  ];
  const stored = () => server.log.all.filter(({ stream }) => !stream.startsWith('$')).length;
  const send = (url: string) => call(url, 'POST', '/api/send', { key, body: letterBody('Hello.') });
  for (const [what, lose] of losses) {
    it(`takes no letter in a process that only answers requests, either: ${what}`, async () => {
      lose();
      await eventually('it refuses letters', async () => (await send(api.url)).status === 503);
      const before = stored();
      const sent = await send(api.url);
      expect(sent.status).to.equal(503);
      expect(sent.body.code).to.equal('store_unavailable');
      expect(stored(), 'what the other log holds').to.equal(before);
    });

    it(`says so, is not ready and takes no letter: ${what}`, async () => {
      lose();
      await eventually('it is told', async () => {
        const { body } = await call(service.url, 'GET', '/health');
        const { status, projections } = body as unknown as Health;
        const told = projections.filter(({ error = '' }) => /is not the one that was/.test(error));
        return status === 'degraded' && told.length === projections.length;
      });
      const ready = await call(service.url, 'GET', '/ready');
      expect(ready.status).to.equal(503);
      const before = stored();
      const sent = await send(service.url);
      expect(sent.status).to.equal(503);
      expect(sent.headers.get('retry-after')).to.not.equal(null);
      expect(stored(), 'what the other log holds').to.equal(before);
    });
  }
});
