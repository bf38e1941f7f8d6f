/** A service that moves from one store to another with all that it has. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import {
  type EventStoreDbServer,
  startEventStoreDbServer,
} from '../support/eventstoredb-server.ts';
import { call } from '../support/letter-client.ts';
import { runOperator, startOperator } from '../support/operator.ts';
import { copyDatabase } from '../support/postgres.ts';
import { seeded } from '../support/seeded.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { serviceDatabase } from '../support/service-database.ts';
import { atRest, registerAccount, sendOne } from '../support/some-letters.ts';

describe('copying the log to another store', function () {
  this.timeout(180_000);
  const MASTER_KEY = randomBytes(32).toString('hex');
  /** The database of a service with three letters. Each test works on a copy. */
  let filled: Awaited<ReturnType<typeof serviceDatabase>>;
  let database: typeof filled;
  let first: EventStoreDbServer;
  let second: EventStoreDbServer;
  let env: Record<string, string>;
  let key: string;
  let firstLetters: string[];
  let letters: string[];
  const random = seeded(14);

  const on = (server: EventStoreDbServer) => ({
    ...env,
    EVENT_STORE: 'eventstoredb',
    EVENTSTORE_URL: server.connectionString,
  });
  const operate = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await runOperator(env, args);
    expect(err, out).to.equal('');
    expect(code).to.equal(0);
    return out;
  };
  const refused = async (...args: string[]): Promise<string> => {
    const { code, err } = await runOperator(env, args);
    expect(code).to.equal(1);
    return err;
  };
  const send = async (service: TestService, count: number): Promise<void> => {
    for (let n = 0; n < count; n++) letters.push(await sendOne(service.url, key));
  };
  /** Serves for a while: everything is as before, and it continues. */
  const serve = async (settings: Record<string, string>): Promise<void> => {
    const service = await startTestService(settings);
    await atRest(service.url);
    const listed = await call(service.url, 'GET', '/api/letters?limit=100', { key });
    const ids = (listed.body.data as { letter_id: string }[]).map((one) => one.letter_id);
    expect(ids).to.deep.equal(letters.toReversed());
    await send(service, 2);
    await atRest(service.url);
    const audit = await call(service.url, 'GET', `/api/identity/audit/${letters[0]}`, { key });
    expect(audit.body).to.include({ complete: true });
    await service.stop();
    expect((await runOperator(settings, ['verify'])).out).to.include('OK: everything holds.');
  };

  before(async () => {
    filled = await serviceDatabase();
    const service = await startTestService({ DATABASE_URL: filled.url, MASTER_KEY });
    key = await registerAccount(service.url);
    letters = [];
    await send(service, 3);
    firstLetters = letters;
    await atRest(service.url);
    await service.stop();
  });
  after(() => filled.drop());
  beforeEach(async () => {
    database = await copyDatabase(filled.url);
    [first, second] = [await startEventStoreDbServer(), await startEventStoreDbServer()];
    env = { DATABASE_URL: database.url, MASTER_KEY };
    letters = [...firstLetters];
  });
  afterEach(async () => {
    await Promise.all([first.close(), second.close()]);
    await database.drop();
  });

  it('leads from PostgreSQL to EventStoreDB, on to another one, and back', async () => {
    const [one, two] = [first.connectionString, second.connectionString];
    expect(await operate('copy-log', '--from', 'postgres', '--to', one, '--switch'))
      .to.match(/compared: \d+ events, the same ids, bytes, versions and order/)
      .and.match(/The database now follows the log esdb:\/\/127.0.0.1:\d+\./);
    await serve(on(first));
    await operate('copy-log', '--from', one, '--to', two, '--switch');
    await serve(on(second));
    await operate('copy-log', '--from', two, '--to', 'postgres', '--switch');
    await serve(env);
  });

  it('goes on where it was, beside a service, which changes over when it is stopped', async () => {
    const copy = ['copy-log', '--from', 'postgres', '--to', first.connectionString];
    const service = await startTestService(env);
    await operate(...copy);
    await send(service, 2);
    expect(await operate(...copy)).to.match(/\d+ events are there already, the same/);
    await send(service, 1);
    await atRest(service.url);
    expect(await refused(...copy, '--switch')).to.include('the service runs; stop all');
    await service.stop();
    // Nothing was changed over.
    await serve(env);
    await operate(...copy, '--switch');
    await serve(on(first));
    expect(await refused(...copy, '--switch')).to.match(/it is not a copy|does not follow the log/);
  });

  /** Runs it again and again, killed each time as soon as `isTime` and some ms later; then to its end. */
  const killedOften = async (args: string[], server: EventStoreDbServer): Promise<string[]> => {
    const called = (): number => server.calls.read + server.calls.append;
    const stages: ((out: string, calls: number) => boolean)[] = [
      ...[1, 12].map((least) => (_: string, calls: number) => calls >= least),
      ...Array(2).fill((out: string) => out.includes('copied')),
      (out) => out.includes('compared'),
    ];
    const killedAt: string[] = [];
    for (const isTime of stages) {
      const before = called();
      const { out, ended, kill } = startOperator(env, args);
      let over = false;
      void ended.finally(() => {
        over = true;
      });
      // A stage takes some milliseconds. The pauses of `eventually` are longer by then.
      const end = Date.now() + 60_000;
      while (!over && Date.now() < end && !isTime(out(), called() - before)) await sleep(2);
      await sleep(random() * 60);
      kill();
      const { code, err } = await ended;
      if (code !== null) expect(code, err).to.equal(0);
      killedAt.push(code === null ? (out().trim().split('\n').at(-1) ?? '') : 'its end');
    }
    await operate(...args);
    return killedAt;
  };

  it('killed at any point, goes on where it was: everything is there, once', async () => {
    const { connectionString } = first;
    const there = ['copy-log', '--from', 'postgres', '--to', connectionString, '--switch'];
    const back = ['copy-log', '--from', connectionString, '--to', 'postgres', '--switch'];
    for (const { args, settings } of [
      { args: there, settings: on(first) },
      { args: back, settings: env },
    ]) {
      const killedAt = await killedOften(args, first);
      expect(killedAt.filter((line) => line !== 'its end')).to.have.length.above(1);
      const ids = first.log.all.flatMap(({ stream, id }) => (stream.startsWith('$') ? [] : id));
      expect(new Set(ids).size).to.equal(ids.length);
      await serve(settings);
    }
  });

  it('is refused onto a log that is not a copy, and leaves everything as it was', async () => {
    const events = [
      {
        id: crypto.randomUUID(),
        type: 'Other',
        contentType: 'application/json',
        data: Buffer.from('{}'),
        metadata: Buffer.from('{}'),
      },
    ];
    first.log.append('other', 'no-stream', events);
    const copy = ['copy-log', '--from', 'postgres', '--to', first.connectionString];
    expect(await refused(...copy, '--switch')).to.match(/the logs differ in id: .* must be empty/);
    await serve(env);
  });

  for (const args of [[], ['--from', 'postgres'], ['--from', 'postgres', '--to', 'postgres']]) {
    it(`says how it is written: ${args.join(' ')}`, async () => {
      const { code, err } = await runOperator(env, ['copy-log', ...args]);
      expect(code).to.equal(2);
      expect(err).to.include('--to');
    });
  }
});
