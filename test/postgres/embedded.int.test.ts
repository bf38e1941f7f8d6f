import { type ChildProcess, spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { findPostmaster, isAlive } from '../../infra/postgres/embedded/postmaster.ts';
import { spawnServer } from '../../infra/postgres/embedded/server.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../infra/postgres/embedded.ts';

const query = async (url: string, sql: string): Promise<Record<string, unknown>[]> => {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  return client
    .query(sql)
    .then(({ rows }) => rows)
    .finally(() => client.end());
};

/** Until `check` gives something; what it throws counts as not yet. */
const eventually = async <T>(check: () => Promise<T | undefined> | T | undefined): Promise<T> => {
  for (;;) {
    const found = await Promise.resolve()
      .then(check)
      .catch(() => undefined);
    if (found) return found;
    await delay(20);
  }
};

const embeddedUrl = new URL('../../infra/postgres/embedded.ts', import.meta.url).href;

/** Another process that starts the same database, prints its pid, and stays. */
const startElsewhere = (dataDir: string, within: readonly string[] = []): ChildProcess => {
  const [program = '', ...args] = [...within, process.execPath];
  return spawn(
    program,
    [
      ...args,
      '--input-type=module',
      '-e',
      `import { startEmbeddedPostgres } from '${embeddedUrl}';
       const { pid } = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)} });
       console.log(pid);`,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
};

/** Process ids of its own, as a container has them. */
const otherSpace = ['unshare', '--fork', '--pid', '--mount-proc', '--kill-child'];

const firstLine = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) =>
    child.stdout?.once('data', (chunk: Buffer) => resolve(`${chunk}`.trim())),
  );

const ended = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve) => child.once('exit', resolve));

describe('embedded PostgreSQL', () => {
  let folder: string;
  let dataDir: string;
  const running: EmbeddedPostgres[] = [];

  const start = async (log?: (line: string) => void): Promise<EmbeddedPostgres> => {
    const started = await startEmbeddedPostgres({ dataDir, log });
    running.push(started);
    return started;
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'letters-pg-'));
    chmodSync(folder, 0o755);
    dataDir = join(folder, 'data');
  });

  afterEach(async () => {
    for (const one of running.splice(0)) await one.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('starts in an empty folder, durable, in UTF-8, with a password of its own', async () => {
    const { url } = await start();
    const [settings] = await query(
      url,
      `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commits,
       current_setting('server_encoding') as encoding, current_setting('jit') as jit`,
    );
    expect(settings).to.deep.equal({ fsync: 'on', commits: 'on', encoding: 'UTF8', jit: 'off' });
    expect(statSync(join(dataDir, 'postgres-password')).mode & 0o777).to.equal(0o600);
    const refused = await query(url.replace(/:[^:@]+@/, ':wrong@'), 'select 1').catch(
      (e) => e.code,
    );
    expect(refused).to.equal('28P01');
  });

  it('keeps what was written when it is stopped and started again', async () => {
    const first = await start();
    await query(first.url, 'create table kept as select 42 as answer');
    await first.stop();
    expect(isAlive(first.pid)).to.equal(false);
    const second = await start();
    expect(await query(second.url, 'select answer from kept')).to.deep.equal([{ answer: 42 }]);
  });

  it('comes back on the same address when the server is killed', async () => {
    const lines: string[] = [];
    const server = await start((line) => lines.push(line));
    await query(server.url, 'create table kept as select 42 as answer');
    const { pid } = server;
    process.kill(pid, 'SIGKILL');
    await eventually(() => (server.pid !== pid ? true : undefined));
    expect(await query(server.url, 'select answer from kept')).to.deep.equal([{ answer: 42 }]);
    expect(lines.join('\n')).to.include('was lost').and.include('is back');
    expect(lines.filter((line) => line.includes('oom-kill')).join()).to.include(
      'server was killed',
    );
  });

  it('says which of its processes was killed, as the kernel does when memory runs out', async () => {
    const lines: string[] = [];
    const server = await start((line) => lines.push(line));
    const isBack = () => lines.at(-1)?.includes('is back') || undefined;
    const holder = `from pg_stat_activity where application_name = 'letters-holder'`;
    await query(server.url, `select pg_terminate_backend(pid) ${holder}`);
    await eventually(isBack);
    expect(lines.join('\n')).not.to.include('oom-kill');
    lines.length = 0;
    // More than is read of a log, as a server writes it in days.
    appendFileSync(join(dataDir, 'postgres.log'), 'LOG:  checkpoint complete\n'.repeat(10_000));
    const [backend] = await query(server.url, `select pid ${holder}`);
    process.kill(Number(backend?.pid), 'SIGKILL');
    await eventually(isBack);
    const why = lines.find((line) => line.includes('oom-kill'));
    expect(why).to.include(`(PID ${backend?.pid}) was terminated by signal 9`);
  });

  it('is taken over, still running, after our process was killed', async () => {
    const child = startElsewhere(dataDir);
    const pid = Number(await firstLine(child));
    child.kill('SIGKILL');
    await ended(child);
    const server = await start();
    expect(server.pid).to.equal(pid);
    // The server ends the dead process's session later; until then it counts as a user of the server.
    await eventually(async () => {
      const [row] = await query(
        server.url,
        `select count(*)::int as holders from pg_locks where locktype = 'advisory'`,
      );
      return row?.holders === 1 ? true : undefined;
    });
    await server.stop();
    expect(isAlive(pid)).to.equal(false);
  });

  it('starts anew after both our process and the server were killed', async () => {
    const child = startElsewhere(dataDir);
    const pid = Number(await firstLine(child));
    child.kill('SIGKILL');
    process.kill(pid, 'SIGKILL');
    await ended(child);
    const server = await start();
    expect(server.pid).not.to.equal(pid);
    expect(await query(server.url, 'select 1 as one')).to.deep.equal([{ one: 1 }]);
  });

  it('is made once by two starts at the same time, and ends with the last user', async () => {
    const child = startElsewhere(dataDir);
    const [pid, server] = await Promise.all([firstLine(child), start()]);
    const third = await start();
    expect([server.pid, third.pid]).to.deep.equal([Number(pid), Number(pid)]);
    await server.stop();
    await third.stop();
    expect(isAlive(Number(pid))).to.equal(true);
    child.kill('SIGKILL');
    await ended(child);
    const last = await start();
    await eventually(async () => {
      await last.stop();
      return isAlive(Number(pid)) ? undefined : true;
    });
  });

  it('makes the database again when the first start was killed halfway', async () => {
    const halfway = (): boolean =>
      existsSync(dataDir) &&
      readdirSync(dataDir).some((name) => existsSync(join(dataDir, name, 'PG_VERSION')));
    const killedHalfway = async (): Promise<boolean> => {
      const child = startElsewhere(dataDir);
      await eventually(() => (halfway() ? true : undefined));
      child.kill('SIGKILL');
      await ended(child);
      return !existsSync(join(dataDir, 'postgres'));
    };
    // The start may have been over before it was killed.
    while (!(await killedHalfway())) {
      const postmaster = findPostmaster(join(dataDir, 'postgres'));
      if (postmaster) process.kill(postmaster.pid, 'SIGKILL');
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    }
    const server = await start();
    expect(await query(server.url, 'select 1 as one')).to.deep.equal([{ one: 1 }]);
  });

  it('ends with a reason, and does not end us, where its log is gone or cannot be read', async () => {
    const logFile = join(folder, 'postgres.log');
    const binaries = { initdb: '', postgres: '/bin/false' };
    const place = { clusterDir: folder, logFile, port: 0 };
    for (const [leave, reason] of [
      [() => {}, 'ENOENT'],
      [() => mkdirSync(logFile), 'EISDIR'],
    ] as const) {
      const { exited } = spawnServer(binaries, { prefix: [] }, place);
      rmSync(logFile);
      leave();
      expect(await exited).to.match(new RegExp(`^FATAL: +${reason}`));
    }
  });

  it('writes no values into its log, not even of statements that fail or crash', async () => {
    const { url } = await start();
    await query(url, 'create table people (email text unique)');
    const insert = `insert into people values ('someone@example.org')`;
    await query(url, insert);
    await query(url, insert).catch(() => undefined);
    await query(url, `select 'someone@example.org'::uuid`).catch(() => undefined);
    const crash = `select 'someone@example.org', pg_sleep(60)`;
    const crashing = query(url, crash).catch(() => undefined);
    const backend = await eventually(async () => {
      const [row] = await query(
        url,
        `select pid from pg_stat_activity where state = 'active' and query like '%pg_sleep(60)'`,
      );
      return Number(row?.pid) || undefined;
    });
    process.kill(backend, 'SIGKILL');
    await crashing;
    const log = await eventually(() => {
      const text = readFileSync(join(dataDir, 'postgres.log'), 'utf8');
      return text.includes('was terminated by signal 9') ? text : undefined;
    });
    expect(log).not.to.include('someone');
  });

  // No other user can choose whom the server runs as.
  const ofRoot = process.getuid?.() === 0 ? describe : () => undefined;
  ofRoot('for root', () => {
    it('runs as another user, also in a folder that is closed to others', async () => {
      chmodSync(folder, 0o700);
      const server = await start();
      expect(statSync(`/proc/${server.pid}`).uid).not.to.equal(0);
      expect(statSync(dataDir).uid).to.equal(0);
    });

    /** Starts in a folder of that owner, and gives the owner of the cluster. */
    const clusterOwner = async (uid: number): Promise<number> => {
      mkdirSync(dataDir);
      chownSync(dataDir, uid, uid);
      const server = await start();
      expect(statSync(`/proc/${server.pid}`).uid).to.equal(statSync(join(dataDir, 'postgres')).uid);
      return statSync(join(dataDir, 'postgres')).uid;
    };

    it('is used from another container that shares the network, and left running', async () => {
      const server = await start();
      await query(server.url, 'create table kept as select 42 as answer');
      const child = startElsewhere(dataDir, otherSpace);
      expect(Number(await firstLine(child))).to.equal(server.pid);
      child.kill('SIGKILL');
      await ended(child);
      expect(await query(server.url, 'select answer from kept')).to.deep.equal([{ answer: 42 }]);
      expect(isAlive(server.pid)).to.equal(true);
      expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).to.equal(true);
    });

    it('is never started a second time by another container, which is refused', async () => {
      const server = await start();
      const child = startElsewhere(dataDir, [...otherSpace, '--net']);
      let said = '';
      child.stderr?.on('data', (chunk: Buffer) => {
        said += chunk;
      });
      expect(await ended(child)).to.not.equal(0);
      expect(said).to.include('runs in another container: run this command in that container');
      expect(await query(server.url, 'select 1 as one')).to.deep.equal([{ one: 1 }]);
    });

    it('starts anew after the container in which it ran was killed', async () => {
      const child = startElsewhere(dataDir, otherSpace);
      await firstLine(child);
      child.kill('SIGKILL');
      await ended(child);
      const server = await start();
      expect(await query(server.url, 'select 1 as one')).to.deep.equal([{ one: 1 }]);
    });

    it('does not lock out the owner of the data folder when root uses it', async () => {
      await clusterOwner(1);
      expect(statSync(join(dataDir, 'postgres-space')).uid).to.equal(1);
      expect(statSync(join(dataDir, 'postgres.log')).uid).to.equal(1);
    });

    it('runs as the owner of the data folder', async () => {
      expect(await clusterOwner(1)).to.equal(1);
    });

    it('runs as nobody when the owner of the data folder has no name', async () => {
      expect(await clusterOwner(54_321)).not.to.be.oneOf([0, 54_321]);
    });
  });
});
