/** The service on EventStoreDB while the server goes away and comes back: seen, survived, added up. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  type EventStoreDbServer,
  startEventStoreDbServer,
} from '../support/eventstoredb-server.ts';
import { call, registerTestAccount, startClients } from '../support/letter-client.ts';
import { runOperator } from '../support/operator.ts';
import { freshDatabase } from '../support/postgres.ts';
import {
  atRest,
  eventually,
  freePort,
  killLeftovers,
  makeDataDir,
  type ServiceProcess,
  spawnService,
} from '../support/service-process.ts';

type Health = {
  status: string;
  parts?: { name: string; status: string; detail?: string }[];
  reactors: { name: string; state: string; since?: string; error?: string }[];
};

describe('a service whose EventStoreDB goes away', function () {
  this.timeout(180_000);
  const folder = makeDataDir();
  const { dataDir } = folder;
  const dataFile = join(dataDir, 'log.jsonl');
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let server: EventStoreDbServer;
  let service: ServiceProcess;
  let env: Record<string, string>;
  const keys: string[] = [];

  before(async () => {
    database = await freshDatabase();
    server = await startEventStoreDbServer({ dataFile });
    env = {
      DATABASE_URL: database.url,
      MASTER_KEY: randomBytes(32).toString('hex'),
      EVENT_STORE: 'eventstoredb',
      EVENTSTORE_URL: server.connectionString,
      LIMIT_RESERVATION_PATIENCE_MS: '2000',
      CANCELLATION_WINDOW_SECONDS: '1',
    };
    service = spawnService(await freePort(), dataDir, env);
    await service.ready();
    for (let n = 0; n < 3; n++) keys.push((await registerTestAccount(service.url, `es-${n}`)).key);
  });
  after(async () => {
    await killLeftovers();
    await server.close();
    await database.drop();
    await folder.remove();
  });

  it('answers 503 meanwhile, says why, and loses and doubles nothing', async () => {
    const url = () => service.url;
    const clients = startClients({ url, keys, clients: 6, name: 'away', timeoutMs: 40_000 });
    const { port } = server;
    for (let round = 0; round < 2; round++) {
      const enough = clients.sent.length + 20;
      await eventually('letters are sent', () => clients.sent.length >= enough);
      await server.close();
      // The answer may be a second old.
      await eventually('the service is not ready', async () => {
        const asked = performance.now();
        const ready = await call(service.url, 'GET', '/ready');
        expect(performance.now() - asked, 'in time for a probe').to.be.below(5_000);
        if (ready.status === 503) expect(ready.headers.get('retry-after')).to.not.equal(null);
        return ready.status === 503;
      });
      await eventually('reactors and the store are seen to stand still', async () => {
        const { body } = await call(service.url, 'GET', '/health');
        const { status, parts = [], reactors } = body as unknown as Health;
        const part = parts.find(({ name }) => name === 'event-store');
        const stuck = reactors.filter(({ since, error }) => since && error);
        return status === 'degraded' && part?.detail !== undefined && stuck.length > 0;
      });
      server = await startEventStoreDbServer({ port, dataFile });
      await service.ready();
    }
    await clients.stop();
    expect(clients.unexpected).to.deep.equal([]);
    await atRest(service.url);
    const acknowledged = clients.sent.flatMap(({ letterId }) => letterId ?? []);
    expect(new Set(acknowledged).size).to.equal(acknowledged.length);
    const letters = new Set(
      server.log.all.filter(({ type }) => type === 'LetterQueued').map(({ stream }) => stream),
    );
    expect(letters.size).to.equal(acknowledged.length);
    await eventually(
      'everything goes on by itself',
      async () => (await call(service.url, 'GET', '/health')).body.status === 'ok',
    );
    const lines = service
      .output()
      .split('\n')
      .filter((line) => /event store|follower/.test(line));
    expect(lines.length, 'log lines about two outages').to.be.below(150);
    await service.terminate();
    const verified = await runOperator({ ...env, DATA_DIR: dataDir }, ['verify']);
    expect(verified.out + verified.err).to.match(/everything holds/i);
    expect(verified.code).to.equal(0);
  });
});
