import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import pg from 'pg';
import { createCheckpoints } from '../../infra/checkpoints.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { freshDatabase } from '../support/postgres.ts';
import { eventually } from '../support/service-process.ts';

/** Ends the connection that holds the locks, and has the lock before it can be taken again. */
const stealLock = async (url: string, client: pg.Client, name: string): Promise<void> => {
  const taken = client.query(`select pg_advisory_lock(hashtext('reactor ' || '${name}'))`);
  await eventually('somebody waits for the lock', async () => {
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    const { rowCount } = await admin.query(
      `select pg_terminate_backend(l.pid) from pg_locks l join pg_locks w using (classid, objid, objsubid)
       where l.granted and not w.granted and l.locktype = 'advisory' and w.locktype = 'advisory'`,
    );
    await admin.end();
    return (rowCount ?? 0) > 0;
  });
  await taken;
};

describe('the ownership of a reactor', function () {
  this.timeout(20_000);
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  const open = async (url = database.url) => {
    const db = createReadDb({ url, max: 2, applicationName: 'test', onError: () => {} });
    const checkpoints = await createCheckpoints({ db, url });
    const close = async (): Promise<void> => {
      await checkpoints.close();
      await db.close();
    };
    return { ...checkpoints, close };
  };

  it('is one at a time, and passes on when it is given back', async () => {
    const [one, two] = [await open(), await open()];
    const { signal } = new AbortController();
    const release = await one.own('r', signal);
    expect(await two.own('r', AbortSignal.timeout(50))).to.equal(undefined);
    await release?.();
    const second = await two.own('r', signal);
    await second?.();
    expect(second).to.be.a('function');
    await one.close();
    await two.close();
  });

  it('is kept where the server has not noticed that the connection broke', async () => {
    const { hostname, port } = new URL(database.url);
    const near = new Set<Socket>();
    const far = new Set<Socket>();
    const proxy = createServer((client) => {
      const server = connect(Number(port), hostname);
      near.add(client.on('error', () => {}));
      far.add(server.on('error', () => {}));
      client.pipe(server, { end: false });
      server.pipe(client);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const url = new URL(database.url);
    url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const [one, two] = [await open(url.href), await open()];
    let lost = 0;
    await one.own('r', new AbortController().signal, () => lost++);
    const before = near.size;
    for (const socket of near) socket.destroy();
    await eventually('it is back', () => near.size > before);
    expect(await two.own('r', AbortSignal.timeout(2_500))).to.equal(undefined);
    expect(lost).to.equal(0);
    await one.close();
    await two.close();
    for (const socket of far) socket.destroy();
    proxy.close();
  });

  it('is told to be lost where the connection broke and another process was quicker', async () => {
    const one = await open();
    const { signal } = new AbortController();
    let lost = 0;
    await one.own('r', signal, () => lost++);
    const thief = new pg.Client({ connectionString: database.url });
    await thief.connect();
    await stealLock(database.url, thief, 'r');
    await eventually('it is told', () => lost > 0);
    await thief.end();
    const again = await one.own('r', signal, () => lost++);
    expect(again).to.be.a('function');
    expect(lost).to.equal(1);
    await one.close();
  });
});
