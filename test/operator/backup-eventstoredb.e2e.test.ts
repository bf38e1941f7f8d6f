/** Backup, restore and drill of a service whose log is in EventStoreDB. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { messageOf } from '../../ground/message-of.ts';
import { createLogger } from '../../infra/log.ts';
import { exitCodes } from '../../operator/command.ts';
import { commandOf } from '../../operator/commands.ts';
import { readConfig } from '../../service/config/config.ts';
import {
  type EventStoreDbServer,
  startEventStoreDbServer,
} from '../support/eventstoredb-server.ts';
import { freePort } from '../support/free-port.ts';
import { call } from '../support/letter-client.ts';
import { type Ended, runOperator } from '../support/operator.ts';
import { emptyDatabase, freshDatabase } from '../support/postgres.ts';
import { startTestService } from '../support/service.ts';
import { atRest, registerAccount, sendOne } from '../support/some-letters.ts';

const log = createLogger({ level: 'silent' });

type Env = Record<string, string>;

describe('backup and restore of a log in EventStoreDB', function () {
  this.timeout(240_000);
  let folder = '';
  const databases: Awaited<ReturnType<typeof freshDatabase>>[] = [];
  const servers: EventStoreDbServer[] = [];
  let env: Env = {};
  let recipient = '';
  let key = '';
  let letters: string[] = [];
  /** A backup of a log that does not answer. It tries for half a minute, while the other tests run. */
  let logIsAway: Promise<Ended>;
  const backups = () => join(folder, 'backups');
  const identity = () => join(folder, 'identity.age');

  const operate = async (args: string[], place: Env) => {
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    const command = commandOf(args);
    try {
      const code = command.bare
        ? await command.bare(place, log, print)
        : await command.apart?.(readConfig(place), log, print);
      return { code, out: lines.join('\n'), err: '' };
    } catch (error) {
      return { code: exitCodes.refused, out: lines.join('\n'), err: messageOf(error) };
    }
  };
  /** An empty place: a database, a data folder and, if wanted, a server of its own. */
  const emptyPlace = async (name: string, withServer: boolean): Promise<Env> => {
    const database = await emptyDatabase();
    databases.push(database);
    const place = {
      DATABASE_URL: database.url,
      DATA_DIR: join(folder, name),
      CANCELLATION_WINDOW_SECONDS: '0',
    };
    if (!withServer) return place;
    const server = await startEventStoreDbServer();
    servers.push(server);
    return { ...place, EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: server.connectionString };
  };
  const restoreArgs = () => ['restore', '--from', backups(), '--identity', identity()];
  /** The letters of the backup are there, everything holds, and the service continues. */
  const assertServes = async (place: Env): Promise<void> => {
    const service = await startTestService(place);
    try {
      await atRest(service.url);
      const listed = await call(service.url, 'GET', '/api/letters?limit=100', { key });
      const ids = (listed.body.data as { letter_id: string }[]).map((one) => one.letter_id);
      expect(ids).to.deep.equal(letters.toReversed());
      await sendOne(service.url, key);
      await atRest(service.url);
    } finally {
      await service.stop();
    }
    const { out } = await runOperator(place, ['verify']);
    expect(out).to.include('OK: everything holds.');
  };

  /** The letters of the backup that were sent while it was taken. */
  const lettersIn = async (place: Env): Promise<string[]> => {
    const service = await startTestService(place);
    try {
      await atRest(service.url);
      const listed = await call(service.url, 'GET', '/api/letters?limit=100', { key });
      const ids = (listed.body.data as { letter_id: string }[]).map((one) => one.letter_id);
      expect(letters.slice(0, ids.length)).to.deep.equal(ids.toReversed());
      expect(ids.length).to.be.at.least(3);
      return ids.toReversed();
    } finally {
      await service.stop();
    }
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'letters-test-backup-esdb-'));
    const database = await freshDatabase();
    databases.push(database);
    env = { ...(await emptyPlace('data', true)), DATABASE_URL: database.url };
    recipient = (await operate(['backup-key', identity()], env)).out.trim();
    const service = await startTestService(env);
    try {
      key = await registerAccount(service.url);
      for (let n = 0; n < 3; n++) letters.push(await sendOne(service.url, key));
      const isOver = { now: false };
      const during: string[] = [];
      const sending = (async () => {
        // A test account has money for some letters only.
        while (!isOver.now && during.length < 12) during.push(await sendOne(service.url, key));
      })();
      const taken = await operate(['backup', '--to', backups(), '--recipient', recipient], env);
      isOver.now = true;
      await sending;
      expect(taken.code, taken.err).to.equal(exitCodes.done);
      expect(taken.out).to.contain('OK: everything was read again');
      letters = [...letters, ...during];
    } finally {
      await service.stop();
    }
    const url = `esdb://someone:secret@127.0.0.1:${await freePort()}?tls=false`;
    const args = ['backup', '--to', backups(), '--recipient', recipient];
    logIsAway = runOperator({ ...env, EVENTSTORE_URL: url }, args);
  });
  after(async () => {
    for (const server of servers) await server.close();
    for (const one of databases) await one.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('is restored into an empty EventStoreDB, once', async () => {
    const place = await emptyPlace('there', true);
    const { code, err } = await operate(restoreArgs(), place);
    expect(code, err).to.equal(exitCodes.done);
    const at = (server: EventStoreDbServer | undefined): string[] =>
      (server?.log.all ?? []).flatMap(({ stream, id }) => (stream.startsWith('$') ? [] : id));
    const [before, after] = [at(servers[0]), at(servers[1])];
    expect(after.length).to.be.above(0);
    expect(after).to.deep.equal(before.slice(0, after.length));
    const again = await operate(restoreArgs(), {
      ...(await emptyPlace('again', false)),
      EVENT_STORE: 'eventstoredb',
      EVENTSTORE_URL: servers[1]?.connectionString ?? '',
    });
    expect(again.code).to.equal(exitCodes.refused);
    expect(again.err).to.match(/is not empty: restore into an empty one; nothing was changed/);
    letters = await lettersIn(place);
    await assertServes(place);
  });

  it('is restored into PostgreSQL', async () => {
    const place = await emptyPlace('postgres', false);
    const { code, err } = await operate(restoreArgs(), place);
    expect(code, err).to.equal(exitCodes.done);
    await assertServes(place);
  });

  it('is refused with the settings of another log, and deletes no earlier backup', async () => {
    const { EVENT_STORE: _, EVENTSTORE_URL: __, ...inPostgres } = env;
    const empty = await emptyPlace('other-log', true);
    const before = await readdir(backups());
    const args = ['backup', '--to', backups(), '--recipient', recipient, '--keep', '1'];
    for (const place of [inPostgres, { ...env, EVENTSTORE_URL: empty.EVENTSTORE_URL ?? '' }]) {
      const { code, err } = await operate(args, place);
      expect(code).to.equal(exitCodes.refused);
      expect(err).to.match(/^The event log .* does not fit this database/);
    }
    expect(await readdir(backups())).to.deep.equal(before);
  });

  it('is drilled next to the service', async () => {
    const args = ['restore-drill', '--from', backups(), '--identity', identity(), '--in', folder];
    const { code, out, err } = await operate(args, env);
    expect(code, `${out}${err}`).to.equal(exitCodes.done);
    expect(out).to.match(/OK: restored and verified in [\d.]+ s/);
  });

  it('is refused in a sentence while the log is away', async () => {
    const { code, err } = await logIsAway;
    expect(code).to.equal(exitCodes.refused);
    const [last] = err.trim().split('\n').slice(-1);
    expect(last).to.match(
      /^EVENTSTORE_URL: the log esdb:\/\/127\.0\.0\.1:\d+ does not answer; start/,
    );
  });
});
