import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import pg from 'pg';
import { asBeforeRoots } from '../support/before-roots.ts';
import { startEventStoreDbServer } from '../support/eventstoredb-server.ts';
import { call, registerTestAccount, sendLetter } from '../support/letter-client.ts';
import { freshDatabase } from '../support/postgres.ts';
import {
  embeddedIn,
  eventually,
  freePort,
  killLeftovers,
  makeDataDir,
  oneProcess,
  spawnService,
} from '../support/service-process.ts';

/** Starts a service that must not start. Resolves to what it said. */
const refusal = async (dataDir: string, env: Record<string, string> = {}, port?: number) => {
  const service = spawnService(port ?? (await freePort()), dataDir, env);
  const { code } = await service.exited;
  expect(code, service.output()).to.equal(1);
  return service.output().trim();
};

const aFile = fileURLToPath(import.meta.url);

const aSentence = (text: string): void => {
  expect(text.split('\n'), text).to.have.length(1);
  expect(text).not.to.match(/^\{|\bat .*:\d+/);
};

/** Registers and sends, so that there is data; then stops. */
const use = async (dataDir: string, env: Record<string, string> = {}): Promise<void> => {
  const service = spawnService(await freePort(), dataDir, { ...oneProcess, ...env });
  await service.ready();
  const { key } = await registerTestAccount(service.url, 'kept');
  expect((await sendLetter(service.url, key, 'kept')).status).to.equal(201);
  expect((await service.terminate()).code).to.equal(0);
};

describe('a start that is refused', function () {
  this.timeout(180_000);
  let folder: ReturnType<typeof makeDataDir>;
  let dataDir: string;
  beforeEach(() => {
    folder = makeDataDir();
    dataDir = folder.dataDir;
  });
  afterEach(async () => {
    await killLeftovers();
    await folder.remove();
  });
  const keyFile = () => join(dataDir, 'master.key');

  it('because DATA_DIR is a file names the setting', async () => {
    const file = join(dataDir, 'file');
    writeFileSync(file, '');
    const said = await refusal(file);
    aSentence(said);
    expect(said).to.include(`DATA_DIR ${file} is not a folder`);
  });

  it('because the database does not answer names the setting and the address, not the password', async () => {
    const host = `127.0.0.1:${await freePort()}`;
    const said = await refusal(dataDir, { DATABASE_URL: `postgres://me:secret@${host}/letters` });
    aSentence(said);
    expect(said).to.include(`DATABASE_URL: the database ${host}/letters does not answer`);
    expect(said).to.not.include('secret');
  });

  it('because the database has no TLS, or needs a password, names the setting', async () => {
    const { url, drop } = await freshDatabase();
    try {
      const tls = new URL(url);
      tls.searchParams.set('sslmode', 'verify-full');
      const said = await refusal(dataDir, { DATABASE_URL: tls.href });
      aSentence(said);
      expect(said)
        .to.include(
          `DATABASE_URL: the database ${tls.host}${tls.pathname} takes no such connection`,
        )
        .and.include('sslmode');
      const open = new URL(url);
      open.password = '';
      const second = await refusal(dataDir, { DATABASE_URL: open.href });
      aSentence(second);
      expect(second).to.match(/^DATABASE_URL: .*password/);
    } finally {
      await drop();
    }
  });

  it('because there is no such database or user names the setting', async () => {
    const { url, drop } = await freshDatabase();
    const [none, wrong] = [new URL(url), new URL(url)];
    none.pathname = '/no_such_database';
    wrong.username = 'no_such_user';
    for (const one of [none, wrong]) {
      const text = await refusal(dataDir, { DATABASE_URL: one.href });
      aSentence(text);
      expect(text).to.match(/^DATABASE_URL: the database .* refuses this user \(/);
    }
    await drop();
  });

  it('because the name of the database does not resolve says the same', async () => {
    const said = await refusal(dataDir, {
      DATABASE_URL: 'postgres://me:secret@db.invalid/letters',
    });
    aSentence(said);
    expect(said).to.include('DATABASE_URL: the database db.invalid/letters does not answer');
    expect(said).to.not.include('secret');
  });

  it('ends in good order when it is stopped while the database accepts connections and says nothing', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket));
    const port = await freePort();
    await new Promise<void>((resolve) => silent.listen(port, '127.0.0.1', resolve));
    try {
      const service = spawnService(await freePort(), dataDir, {
        DATABASE_URL: `postgres://me:secret@127.0.0.1:${port}/letters`,
      });
      await eventually('it asks the database', () => sockets.length > 0);
      const { code } = await service.terminate();
      expect(code, service.output()).to.equal(0);
    } finally {
      for (const socket of sockets) socket.destroy();
      silent.close();
    }
  });

  for (const [who, answer] of [
    ['accepts connections and says nothing', () => {}],
    ['closes each connection', (socket: Socket) => socket.destroy()],
  ] as const) {
    it(`ends in good order when it is stopped while an EventStoreDB ${who}`, async () => {
      const sockets: Socket[] = [];
      const server = createServer((socket) => {
        sockets.push(socket);
        answer(socket);
      });
      const port = await freePort();
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
      try {
        const service = spawnService(await freePort(), dataDir, {
          EVENT_STORE: 'eventstoredb',
          EVENTSTORE_URL: `esdb://127.0.0.1:${port}?tls=false`,
        });
        await eventually('it asks the log', () => sockets.length > 0);
        const { code } = await service.terminate();
        expect(code, service.output()).to.equal(0);
        expect(embeddedIn(dataDir), 'PostgreSQL has ended').to.equal(undefined);
      } finally {
        for (const socket of sockets) socket.destroy();
        server.close();
      }
    });
  }

  it('because the database takes no writes says so', async () => {
    const database = await freshDatabase();
    try {
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      const name = new URL(database.url).pathname.slice(1);
      await client.query(`alter database ${name} set default_transaction_read_only = on`);
      await client.end();
      const said = await refusal(dataDir, { DATABASE_URL: database.url });
      expect(said).to.match(/^DATABASE_URL: the database .* takes no writes; name the primary/m);
    } finally {
      await database.drop();
    }
  });

  it('because the port is taken says so at once and has opened nothing', async () => {
    const other = createServer();
    const port = await freePort();
    await new Promise<void>((resolve) => other.listen(port, '0.0.0.0', resolve));
    try {
      const said = await refusal(dataDir, {}, port);
      aSentence(said);
      expect(said).to.equal(`PORT ${port} is in use; stop what runs there, or set another PORT.`);
      expect(readdirSync(dataDir)).to.deep.equal([]);
    } finally {
      other.close();
    }
  });

  for (const [what, env, said] of [
    [
      'an unknown group of the hotfolder',
      { PRINT_HOTFOLDER_GROUP: 'no-such-group' },
      'PRINT_HOTFOLDER_GROUP no-such-group is not in /etc/group; set it to a name there or a number.',
    ],
    [
      'a hotfolder below a file',
      { PRINT_HOTFOLDER: aFile },
      `The print folder ${aFile}/outbox is not a folder; correct PRINT_HOTFOLDER, or remove the file in its place.`,
    ],
    [
      'a journal of erasures that is a folder',
      { ERASURE_JOURNAL: tmpdir() },
      `ERASURE_JOURNAL ${tmpdir()} cannot be written (EISDIR); name a file that the service may make and write.`,
    ],
  ] as const) {
    for (const [where, shape] of [
      ['in the background process', { BACKGROUND_PROCESS: 'true' }],
      ['in a single process', oneProcess],
    ] as const) {
      it(`because of ${what} says so ${where}`, async () => {
        const text = await refusal(dataDir, { ...shape, ...env });
        const lines = text.split('\n').filter((one) => !one.includes('MASTER_KEY is not set'));
        expect(lines).to.deep.equal([said]);
        expect(embeddedIn(dataDir), 'PostgreSQL has ended').to.equal(undefined);
      });
    }
  }

  it('because the master key is lost beside its data, or is another one, names the way out', async () => {
    await use(dataDir);
    renameSync(keyFile(), `${keyFile()}.backup`);
    const lost = await refusal(dataDir);
    aSentence(lost);
    expect(lost).to.contain(keyFile()).and.to.contain('Restore').and.to.contain('MASTER_KEY');
    expect(existsSync(keyFile()), 'no successor is made').to.equal(false);
    expect(embeddedIn(dataDir), 'PostgreSQL has ended').to.equal(undefined);

    writeFileSync(keyFile(), `${randomBytes(32).toString('base64')}\n`);
    const wrong = await refusal(dataDir);
    aSentence(wrong);
    expect(wrong).to.contain(`${keyFile()} is not the master key`);
    expect(embeddedIn(dataDir)).to.equal(undefined);

    rmSync(keyFile());
    const set = await refusal(dataDir, { MASTER_KEY: randomBytes(32).toString('hex') });
    aSentence(set);
    expect(set).to.contain('MASTER_KEY is not the master key');

    const key = readFileSync(`${keyFile()}.backup`, 'utf8').trim();
    const service = spawnService(await freePort(), dataDir, { ...oneProcess, MASTER_KEY: key });
    await service.ready();
    const email = 'kept@example.com';
    const again = await call(service.url, 'POST', '/auth/register', {
      body: { email, mode: 'test' },
    });
    expect(again.status, 'the right key knows the address again').to.equal(409);
    await service.terminate();
  });

  it('finds a wrong key in a database of the version before, which has no check value', async () => {
    const { url, drop } = await freshDatabase();
    const env = { DATABASE_URL: url };
    const client = new pg.Client({ connectionString: url });
    try {
      await use(dataDir, env);
      await client.connect();
      await asBeforeRoots(client, dataDir);
      await client.query(
        `drop table keys.master_key_check; delete from migrations.applied where subject = 'keys'`,
      );
      const right = readFileSync(keyFile());
      writeFileSync(keyFile(), randomBytes(32).toString('hex'));
      expect(await refusal(dataDir, env)).to.contain('is not the master key');
      const checks = async () => (await client.query('table keys.master_key_check')).rows;
      expect(await checks()).to.have.length(0);
      writeFileSync(keyFile(), right);
      const service = spawnService(await freePort(), dataDir, { ...oneProcess, ...env });
      await service.ready();
      await service.terminate();
      expect(await checks()).to.have.length(1);
      const { rows } = await client.query('select n, state from keys.roots');
      expect(rows, 'the master key became root 1').to.deep.equal([{ n: 1, state: 'active' }]);
    } finally {
      await client.end();
      await killLeftovers();
      await drop();
    }
  });

  it('because a second machine has no key, or one of its own, for the database of the first', async () => {
    const { url, drop } = await freshDatabase();
    const second = makeDataDir();
    const env = { DATABASE_URL: url };
    try {
      await use(dataDir, env);
      const lost = await refusal(second.dataDir, env);
      expect(lost).to.contain(join(second.dataDir, 'master.key'));
      expect(existsSync(join(second.dataDir, 'master.key'))).to.equal(false);
    } finally {
      await second.remove();
      await drop();
    }
  });

  it('because the log in EventStoreDB was sealed with a key that is not here', async () => {
    const log = await startEventStoreDbServer();
    const env = { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: log.connectionString };
    const other = makeDataDir();
    try {
      await use(dataDir, env);
      const lost = await refusal(other.dataDir, env);
      aSentence(lost);
      expect(lost).to.contain(join(other.dataDir, 'master.key'));
      expect(embeddedIn(other.dataDir)).to.equal(undefined);
    } finally {
      await log.close();
      await other.remove();
    }
  });
});
