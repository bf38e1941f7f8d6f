/** Each role alone, while its connection to PostgreSQL is away: it waits, and continues without help. */
import { expect } from 'chai';
import type { Db } from '../../ground/db.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { registerTestAccount, sendLetter } from '../support/letter-client.ts';
import { auditMoney } from '../support/log-audit.ts';
import { serviceDatabase } from '../support/service-database.ts';
import {
  eventually,
  freePort,
  killLeftovers,
  makeDataDir,
  type ServiceProcess,
  spawnService,
} from '../support/service-process.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

/** Which connections the services have. */
const connectionsOf = async (db: Db): Promise<string> => {
  const { rows } = await db.query<{ pids: string }>(
    `select coalesce(string_agg(pid::text, ',' order by pid), '') as pids from pg_stat_activity
     where datname = current_database() and application_name like 'letters%'`,
  );
  return rows[0]?.pids ?? '';
};

type Health = { status: string; reactors: { name: string; state: string; since?: string }[] };

const healthOf = async ({ url }: ServiceProcess): Promise<Health> =>
  (await (await fetch(`${url}/health`)).json()) as Health;

describe('a role alone that loses PostgreSQL', function () {
  this.timeout(180_000);
  const folder = makeDataDir();
  const roles = ['write-api', 'read-api', 'projections', 'reactors'] as const;
  const services = new Map<string, ServiceProcess>();
  let database: Awaited<ReturnType<typeof serviceDatabase>>;
  let db: ReturnType<typeof createReadDb>;
  let proxy: Awaited<ReturnType<typeof startTcpProxy>>;

  const service = (role: (typeof roles)[number]): ServiceProcess =>
    services.get(role) as ServiceProcess;

  before(async () => {
    database = await serviceDatabase();
    const { url } = database;
    db = createReadDb({ url, max: 2, applicationName: 'test', onError: () => {} });
    proxy = await startTcpProxy(database.url);
    for (const role of roles) {
      const one = spawnService(await freePort(), folder.dataDir, {
        DATABASE_URL: proxy.url,
        CANCELLATION_WINDOW_SECONDS: '0',
        ROLES: role,
      });
      services.set(role, one);
      await one.ready();
    }
  });
  after(async () => {
    await killLeftovers();
    await proxy.stop();
    await db.close();
    await database.drop();
    await folder.remove();
  });

  /** A letter that one process accepts, another shows and a third has produced. */
  const goesThrough = async (name: string): Promise<void> => {
    let tries = 0;
    // The answer to a registration may be lost with its connection: each try has an address of its own.
    const { key } = await eventually('an account is registered', () =>
      registerTestAccount(service('write-api').url, `${name}-${tries++}`),
    );
    const letterId = await eventually('a letter is accepted', async () => {
      const sent = await sendLetter(service('write-api').url, key, name, 'Hello.');
      return sent.status === 201 && String(sent.body.letter_id);
    });
    await eventually('the letter is in production', async () => {
      const { letters } = await auditMoney(database.url);
      return letters.get(letterId)?.status === 'processing';
    });
  };

  const allLive = (): void => {
    for (const [role, one] of services) {
      expect(() => process.kill(one.pid, 0), `${role}:\n${one.output()}`).to.not.throw();
    }
  };

  it('does its part', () => goesThrough('before'));

  it('lives while it is refused, says so, and goes on', async () => {
    proxy.set('refuse');
    await eventually('the reactors have said for a while that they do not get on', async () => {
      const { status, reactors } = await healthOf(service('reactors'));
      const since = reactors.map((one) => Date.parse(one.since ?? '')).filter(Number.isFinite);
      return status === 'degraded' && since.some((ms) => Date.now() - ms > 3_000);
    });
    allLive();
    proxy.set('pass');
    await goesThrough('refused');
    allLive();
  });

  it('lives while every connection is cut again and again', async () => {
    for (let n = 0; n < 20; n++) {
      const head = await connectionsOf(db);
      proxy.cutAll();
      await eventually('it connects again', async () => (await connectionsOf(db)) !== head);
    }
    allLive();
    await goesThrough('cut');
    allLive();
  });

  it('lives while the server ends every connection, with jobs under way', async () => {
    const add = `insert into work.jobs (key, task, payload, run_at)
      select gen_random_uuid(), 'deliver', '{"kind":"status","id":"nobody"}', now()
      from generate_series(1, 500)`;
    for (let n = 0; n < 10; n++) {
      const before = await connectionsOf(db);
      await db.query(add);
      await db.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name like 'letters%'`,
      );
      await eventually('it connects again', async () => (await connectionsOf(db)) !== before);
    }
    allLive();
    await goesThrough('ended');
    await eventually('every job was run and none is left locked', async () => {
      const { rows } = await db.query<{ open: bigint }>(
        'select count(*) as open from work.jobs where attempts = 0 or claim is not null',
      );
      return rows[0]?.open === 0n;
    });
    allLive();
  });

  it('lives while nothing comes through, and goes on', async () => {
    proxy.set('drop');
    await eventually(
      'a request is given up',
      async () => (await fetch(`${service('write-api').url}/ready`)).status === 503,
    );
    allLive();
    proxy.set('pass');
    proxy.cutAll();
    await goesThrough('dropped');
    allLive();
  });
});
