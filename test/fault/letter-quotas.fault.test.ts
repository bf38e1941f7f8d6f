/** Two processes on one database: a quota of letters is one quota, also when one of them dies. */
import { expect } from 'chai';
import pg from 'pg';
import { call, letterBody, registerTestAccount, sendLetter } from '../support/letter-client.ts';
import { serviceDatabase } from '../support/service-database.ts';
import {
  eventually,
  freePort,
  killLeftovers,
  makeDataDir,
  oneProcess,
  type ServiceProcess,
  spawnService,
} from '../support/service-process.ts';

describe('the quota of letters of two processes', function () {
  this.timeout(180_000);
  const quota = 25;
  const folder = makeDataDir();
  let database: Awaited<ReturnType<typeof serviceDatabase>>;
  let services: ServiceProcess[];

  const start = async (): Promise<ServiceProcess> =>
    spawnService(await freePort(), folder.dataDir, {
      ...oneProcess,
      DATABASE_URL: database.url,
      LIMIT_TEST_LETTERS_PER_DAY: String(quota),
      LIMIT_DRAFTS_PER_ACCOUNT: '7',
    });

  before(async () => {
    database = await serviceDatabase();
    services = [await start(), await start()];
    await Promise.all(services.map((service) => service.ready()));
  });
  after(async () => {
    await killLeftovers();
    await database.drop();
    await folder.remove();
  });

  const register = async (name: string): Promise<string> => {
    const { key } = await registerTestAccount((services[0] as ServiceProcess).url, name);
    await eventually('both know the key', async () => {
      const known = services.map(({ url }) => call(url, 'GET', '/api/balance', { key }));
      return (await Promise.all(known)).every(({ status }) => status === 200);
    });
    return key;
  };

  const sendAll = async (key: string, name: string, count: number): Promise<number[]> => {
    const answers = await Promise.all(
      Array.from({ length: count }, (_, n) => {
        const { url } = services[n % services.length] as ServiceProcess;
        return sendLetter(url, key, `${name}-${n}`, `Letter ${n}`);
      }),
    );
    return answers.map(({ status }) => status);
  };

  it('is used up exactly, whoever of them is asked', async () => {
    const key = await register('quota');
    const statuses = await sendAll(key, 'quota', 2 * quota);
    // One hot wallet: some lose the race for it, and count for nothing.
    let sent = statuses.filter((status) => status === 201).length;
    for (let round = 0; sent < quota && round < 20; round++) {
      const more = await sendAll(key, `quota-${round}`, 2 * (quota - sent));
      sent += more.filter((status) => status === 201).length;
    }
    const refused = await sendAll(key, 'above', 4);
    expect([sent, ...refused]).to.deep.equal([quota, 429, 429, 429, 429]);
  });

  it('is exact for drafts as well', async () => {
    const key = await register('drafts');
    const draft = (n: number) => {
      const { url } = services[n % services.length] as ServiceProcess;
      const body = { ...letterBody(`Draft ${n}`), draft: true };
      return call(url, 'POST', '/api/send', { key, body });
    };
    const answers = await Promise.all(Array.from({ length: 24 }, (_, n) => draft(n)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).to.have.length(7);
    expect(statuses.filter((status) => status === 429)).to.have.length(17);
  });

  it('is not renewed when a process dies and comes again, and holds few back', async () => {
    const key = await register('killed');
    const before = (await sendAll(key, 'killed', 10)).filter((status) => status === 201).length;
    await services[1]?.kill();
    services[1] = await start();
    await services[1].ready();
    let sent = before;
    for (let round = 0; round < 20; round++) {
      const statuses = await sendAll(key, `killed-${round}`, 6);
      sent += statuses.filter((status) => status === 201).length;
      if (statuses.every((status) => status === 429)) break;
    }
    expect(sent).to.be.within(quota - 5, quota);
    const client = new pg.Client(database.url);
    await client.connect();
    try {
      const { rows } = await client.query(
        "select sum(amount)::int as all from limits.holds where budget = 'letters'",
      );
      expect(rows[0].all).to.be.at.most(2 * quota);
    } finally {
      await client.end();
    }
  });
});
