/** Eight processes on one PostgreSQL: the number of their connections, and the takeover when one dies. */
import { expect } from 'chai';
import type { Db } from '../../ground/db.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { call, registerTestAccount, sendLetter } from '../support/letter-client.ts';
import { freshDatabase } from '../support/postgres.ts';
import {
  eventually,
  freePort,
  killLeftovers,
  makeDataDir,
  type ServiceProcess,
  spawnService,
} from '../support/service-process.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const apis = 'write-api,read-api,agent-api,console';
const kinds = [apis, 'projections', 'reactors', apis, apis, 'projections', 'reactors', apis];
/** All pools at their maximum at the same moment: 6 of each API, 8 for read models, 10 for reactions. */
const mostConnections = 60;
/** Only the time of the whole test bounds a take-over: the machine of a test may be busy. */
const takeOverMs = 500_000;

type Held = { name: string; held: number };

const heldBy = async (db: Db): Promise<Held[]> => {
  const { rows } = await db.query<Held>(
    `select application_name as name, count(*)::int as held from pg_stat_activity
     where datname = current_database() and application_name like 'letters%' group by 1 order by 1`,
  );
  return rows;
};

const sumOf = (held: readonly Held[]): number => held.reduce((sum, one) => sum + one.held, 0);

describe('eight processes on one PostgreSQL', function () {
  this.timeout(600_000);
  this.bail(true);
  const folder = makeDataDir();
  const processes: { roles: string; service: ServiceProcess }[] = [];
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let db: ReturnType<typeof createReadDb>;
  let receiver: WebhookReceiver;
  let key = '';

  before(async () => {
    receiver = await startWebhookReceiver();
    database = await freshDatabase();
    const { url } = database;
    db = createReadDb({ url, max: 1, applicationName: 'test', onError: () => {} });
    for (const roles of kinds) {
      const service = spawnService(await freePort(), folder.dataDir, {
        DATABASE_URL: url,
        ROLES: roles,
        CANCELLATION_WINDOW_SECONDS: '0',
        ALLOW_PRIVATE_FETCH: 'true',
      });
      await service.ready().catch(() => service.ready());
      processes.push({ roles, service });
    }
  });
  after(async () => {
    await killLeftovers();
    await receiver.stop();
    await db.close();
    await database.drop();
    await folder.remove();
  });

  const serving = (roles: string): ServiceProcess[] =>
    processes.filter((one) => one.roles === roles).map(({ service }) => service);
  const apiUrl = (n: number): string => {
    const found = serving(apis);
    return found[n % found.length]?.url ?? '';
  };

  it(`take at most ${mostConnections} connections under load`, async () => {
    ({ key } = await registerTestAccount(apiUrl(0), 'eight'));
    const body = { webhook_url: receiver.url };
    expect((await call(apiUrl(0), 'PUT', '/api/settings', { key, body })).status).to.equal(200);
    let most: Held[] = [];
    let underLoad = true;
    const watching = (async () => {
      while (underLoad) {
        // A busy machine may not answer in time. The other looks count.
        const held = await heldBy(db).catch((): Held[] => []);
        if (sumOf(held) > sumOf(most)) most = held;
      }
    })();
    let sent = 0;
    const letters = 240;
    const caller = async (): Promise<void> => {
      for (let n = sent++; n < letters; n = sent++) {
        const { key: own } =
          n % 19 === 0 ? await registerTestAccount(apiUrl(n), `eight-${n}`) : { key };
        const reads = ['/api/letters', '/api/wallet/balance', '/api/notifications'].map((path) =>
          call(apiUrl(n), 'GET', path, { key: own }),
        );
        for (const { status } of await Promise.all(reads)) expect(status).to.be.below(500);
        const { status } = await sendLetter(apiUrl(n), own, `eight-${n}`);
        expect(status).to.be.oneOf([201, 402]);
      }
    };
    await Promise.all(Array.from({ length: 24 }, caller));
    await eventually('webhooks come', () => receiver.received.length > 20, 90_000, apiUrl(0));
    underLoad = false;
    await watching;
    const listed = most.map(({ name, held }) => `${name} ${held}`).join(', ');
    console.log(`      ${sumOf(most)} connections: ${listed}`);
    expect(sumOf(most), listed).to.be.within(kinds.length, mostConnections);
  });

  /** Kills the first process of a role and returns how long another needs until `done`. */
  const killedUntil = async (roles: string, done: (left: ServiceProcess) => Promise<boolean>) => {
    const index = processes.findIndex((one) => one.roles === roles);
    await processes[index]?.service.kill();
    const killedAt = performance.now();
    processes.splice(index, 1);
    const [left] = serving(roles);
    if (!left) throw new Error(`no process has the role ${roles}`);
    await eventually(`another process works as ${roles}`, () => done(left), takeOverMs, left.url);
    return performance.now() - killedAt;
  };
  const report = (what: string, ms: number): void =>
    console.log(`      ${what} taken over after ${(ms / 1_000).toFixed(1)} s`);

  it('show what was written after the process that fills the read models was killed', async () => {
    const { key: own } = await registerTestAccount(apiUrl(0), 'shown');
    const ms = await killedUntil('projections', async () => {
      const sent = await sendLetter(apiUrl(1), own, 'shown');
      if (sent.status !== 201) return false;
      const { body } = await call(apiUrl(2), 'GET', '/api/letters', { key: own });
      return (body.data as unknown[]).length > 0;
    });
    report('read models', ms);
  });

  it('react after the process that reacted was killed', async () => {
    const ms = await killedUntil('reactors', async ({ url }) => {
      const health = await (await fetch(`${url}/health`)).json();
      const { reactors, unowned } = health as {
        reactors: { state: string }[];
        unowned?: unknown[];
      };
      return (unowned ?? []).length === 0 && reactors.every(({ state }) => state === 'running');
    });
    report('reactions', ms);
    const before = receiver.received.length;
    const { key: own } = await registerTestAccount(apiUrl(0), 'reacted');
    await call(apiUrl(0), 'PUT', '/api/settings', {
      key: own,
      body: { webhook_url: receiver.url },
    });
    expect((await sendLetter(apiUrl(0), own, 'reacted')).status).to.equal(201);
    await eventually(
      'its webhook comes',
      () => receiver.received.length > before,
      takeOverMs,
      apiUrl(0),
    );
  });

  it('go on with the other processes of the API when one is killed', async () => {
    const [killed, ...others] = serving(apis);
    await killed?.kill();
    for (const { url } of others) {
      expect((await call(url, 'GET', '/api/letters', { key })).status).to.equal(200);
    }
  });
});
