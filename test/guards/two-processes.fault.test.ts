/** Two processes on one database: a limit of a policy is one limit, and what is used of it is what the letters cost. */
import { expect } from 'chai';
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

describe('guards of two processes', function () {
  this.timeout(120_000);
  const folder = makeDataDir();
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let services: ServiceProcess[];

  const urlOf = (n: number): string => (services[n % services.length] as ServiceProcess).url;

  before(async () => {
    database = await freshDatabase();
    const start = async () =>
      spawnService(await freePort(), folder.dataDir, { DATABASE_URL: database.url });
    services = [await start(), await start()];
    await Promise.all(services.map((service) => service.ready()));
  });
  after(async () => {
    await killLeftovers();
    await database.drop();
    await folder.remove();
  });

  it('never exceed a limit together, and lowering one holds in the other process at once', async () => {
    const { key } = await registerTestAccount(urlOf(0), 'guards');
    const made = await call(urlOf(0), 'POST', '/auth/keys', {
      key,
      body: { label: 'agent', scope: 'send' },
    });
    const { id, api_key: agent } = made.body as { id: string; api_key: string };
    await eventually('both know the key', async () => {
      const known = [0, 1].map((n) => call(urlOf(n), 'GET', '/api/balance', { key: agent }));
      return (await Promise.all(known)).every(({ status }) => status === 200);
    });
    const first = await sendLetter(urlOf(0), key, 'first', 'What does a letter cost?');
    const cents = Math.round((first.body.price as { total: number }).total * 100);
    const policy = (letters: number) => ({
      rules: [
        { id: 'total', effect: 'allow', limit: { amount: (cents * letters) / 100, per: 'total' } },
      ],
    });
    const put = (n: number, path: string, body: object) =>
      call(urlOf(n), 'PUT', path, { key, body });
    expect((await put(0, '/api/policy', policy(12))).status).to.equal(200);
    expect((await put(1, `/auth/keys/${id}/policy`, policy(7))).status).to.equal(200);

    const sendAll = async (secret: string, name: string, count: number): Promise<number> => {
      const answers = await Promise.all(
        Array.from({ length: count }, (_, n) =>
          sendLetter(urlOf(n), secret, `${name}-${n}`, `${n}`),
        ),
      );
      return answers.filter(({ status }) => status === 201).length;
    };
    // One hot wallet: some lose the race for it and are neither sent nor counted.
    let agents = 0;
    let owners = 0;
    for (let round = 0; (agents < 7 || agents + owners < 12) && round < 20; round++) {
      const sent = await Promise.all([
        sendAll(agent, `agent-${round}`, 10),
        agents < 7 ? 0 : sendAll(key, `owner-${round}`, 10),
      ]);
      agents += sent[0];
      owners += sent[1];
      expect(agents).to.be.at.most(7);
      expect(agents + owners).to.be.at.most(12);
    }
    expect([agents, owners]).to.deep.equal([7, 5]);
    const budgets = await call(urlOf(1), 'GET', '/api/budgets', { key });
    const data = budgets.body.data as { used: number; reserved: number; remaining: number }[];
    const taken = data.map(({ used, reserved }) => Math.round((used + reserved) * 100));
    expect(taken).to.deep.equal([12 * cents, 7 * cents]);

    expect((await put(0, '/api/policy', policy(40))).status).to.equal(200);
    expect((await put(0, '/api/policy', policy(13))).status).to.equal(200);
    const last = await Promise.all(
      [0, 1].map((n) => sendLetter(urlOf(1), key, `last-${n}`, 'The last one')),
    );
    expect(last.map(({ status }) => status).toSorted()).to.deep.equal([201, 403]);
  });

  it('hold a freeze for money in the other process with the answer, and for everything else soon after', async () => {
    const { key } = await registerTestAccount(urlOf(0), 'frozen');
    const made = await call(urlOf(0), 'POST', '/auth/keys', {
      key,
      body: { label: 'agent', scope: 'full' },
    });
    const { id, api_key: agent } = made.body as { id: string; api_key: string };
    await eventually('both know the keys', async () => {
      const known = [key, agent].map((one) => call(urlOf(1), 'GET', '/api/balance', { key: one }));
      return (await Promise.all(known)).every(({ status }) => status === 200);
    });
    const change = (n: number, name: string) =>
      call(urlOf(n), 'POST', `/auth/keys/${id}/${name}`, { key });
    expect((await sendLetter(urlOf(1), agent, 'before', 'Before')).status).to.equal(201);
    expect((await change(0, 'freeze')).status).to.equal(200);
    const refused = await sendLetter(urlOf(1), agent, 'after', 'After');
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'frozen']);
    await eventually('the other process makes no key for it', async () => {
      const body = { label: 'more', scope: 'read' };
      const more = await call(urlOf(1), 'POST', '/auth/keys', { key: agent, body });
      return more.body.code === 'frozen';
    });
    expect((await change(1, 'unfreeze')).status).to.equal(200);
    await eventually('both processes let it send again', async () => {
      const sent = [0, 1].map((n) => sendLetter(urlOf(n), agent, `again-${n}`, 'Again'));
      return (await Promise.all(sent)).every(({ status }) => status === 201);
    });
  });
});
