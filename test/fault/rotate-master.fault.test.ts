/** `kill -9` of the rotation at random moments, while two processes send and erase letters. */
import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { letterStream } from '../../events/letter.ts';
import { createKeyring } from '../../infra/keys/keyring.ts';
import { findProvider } from '../../infra/keys/providers/find-provider.ts';
import { openStoredRoots, readStoredRoots } from '../../infra/keys/root-table.ts';
import { readConfig } from '../../service/config/config.ts';
import { injected } from '../support/injected.ts';
import { call, letterBody } from '../support/letter-client.ts';
import { runOperator, startOperator } from '../support/operator.ts';
import { seeded } from '../support/seeded.ts';
import { serviceDatabase } from '../support/service-database.ts';
import {
  freePort,
  killLeftovers,
  makeDataDir,
  oneProcess,
  type ServiceProcess,
  spawnService,
} from '../support/service-process.ts';
import { registerAccount } from '../support/some-letters.ts';

const seed = 24;
const preparedKeys = 40_000;
const kills = 6;
/** The pause of each sender after a letter: letters come all the time, however many. */
const restMs = 40;
/** Within these the command has begun its work, and has not ended. */
const [leastMs, mostMs] = [900, 3_500];

describe('a rotation of the master key that is killed', function () {
  this.timeout(400_000);
  const folder = makeDataDir();
  const random = seeded(seed);
  let database: Awaited<ReturnType<typeof serviceDatabase>>;
  let client: pg.Client;
  const services: ServiceProcess[] = [];
  const kept: { id: string; key: string }[] = [];
  const erased: { id: string; key: string }[] = [];
  let env: Record<string, string> = {};

  before(async () => {
    database = await serviceDatabase();
    env = { DATABASE_URL: database.url, DATA_DIR: folder.dataDir };
    for (let n = 0; n < 2; n++) {
      const service = spawnService(await freePort(), folder.dataDir, {
        ...oneProcess,
        DATABASE_URL: database.url,
      });
      await service.ready();
      services.push(service);
    }
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  after(async () => {
    for (const service of services) await service.terminate();
    await killLeftovers();
    await client?.end();
    await database.drop();
    await folder.remove();
  });

  /** Sends drafts by both processes, and deletes every third, until it is stopped. */
  const work = (key: string) => {
    let stopped = false;
    const one = async (service: ServiceProcess): Promise<void> => {
      const body = { ...letterBody('Secret words.'), draft: true, reference: 'file-7' };
      const made = await call(service.url, 'POST', '/api/send', { key, body });
      if (made.status !== 201) throw new Error(`not sent: ${JSON.stringify(made.body)}`);
      const id = String(made.body.letter_id);
      if (random() > 0.33) {
        kept.push({ id, key });
        return;
      }
      const gone = await call(service.url, 'DELETE', `/api/letters/${id}`, { key });
      expect(gone.status).to.equal(200);
      erased.push({ id, key });
    };
    const running = services.map(async (service) => {
      while (!stopped) {
        await one(service);
        await wait(restMs);
      }
    });
    return async (): Promise<void> => {
      stopped = true;
      await Promise.all(running);
    };
  };

  /** Data keys of further letters, so that wrapping takes a while. */
  const prepareKeys = async (): Promise<void> => {
    const provider = await findProvider(readConfig({ DATA_DIR: folder.dataDir }));
    if (!provider) throw new Error('there is no master key');
    const keyring = createKeyring(await openStoredRoots(provider, await readStoredRoots(client)));
    const subjects = Array.from({ length: preparedKeys }, () => letterStream(randomUUID()));
    const wrapped = subjects.map(
      (subject) => keyring.seal(randomBytes(32), 'wrap', subject).sealed,
    );
    await client.query(
      'insert into keys.data_keys (subject, wrapped) select * from unnest($1::text[], $2::text[])',
      [subjects, wrapped],
    );
  };

  const assertAllThere = async (): Promise<void> => {
    for (const service of services) {
      for (const { id, key } of kept) {
        const { status, body } = await call(service.url, 'GET', `/api/letters/${id}`, { key });
        expect([status, body.reference]).to.deep.equal([200, 'file-7']);
      }
      for (const { id, key } of erased) {
        const { status } = await call(service.url, 'GET', `/api/letters/${id}`, { key });
        expect(status).to.equal(410);
      }
    }
    const { rows } = await client.query<{ subject: string }>(
      'select subject from keys.data_keys where wrapped is not null and subject = any($1)',
      [erased.map(({ id }) => letterStream(id))],
    );
    expect(rows, 'erased letters have no key').to.deep.equal([]);
  };

  const untilDone = async (args: string[]): Promise<void> => {
    for (let n = 0; n < kills; n++) {
      const running = startOperator(env, args);
      const ended = await Promise.race([
        running.ended,
        wait(leastMs + random() * (mostMs - leastMs)).then(() => undefined),
      ]);
      if (ended) break;
      running.kill();
      injected('kill -9');
      await running.ended;
    }
  };

  it(`is continued by the next one, and every letter is readable or erased (seed ${seed})`, async () => {
    const keys = [await registerAccount(services[0]?.url ?? '')];
    await prepareKeys();
    const stop = work(keys[0] ?? '');
    await untilDone(['rotate-master', 'root', '--apply']);
    const last = await runOperator(env, ['rotate-master', 'root', '--apply']);
    await stop();
    expect(last.code, `${last.out}${last.err}`).to.equal(0);
    // Letters that were sent meanwhile are wrapped by either root.
    const { code, out, err } = await runOperator(env, ['rotate-master', 'root', '--apply']);
    expect(code, `${out}${err}`).to.equal(0);
    const { rows } = await client.query<{ n: number; state: string }>(
      'select n, state from keys.roots order by n',
    );
    expect(rows, 'one root was added, however often it was killed').to.deep.equal([
      { n: 1, state: 'old' },
      { n: 2, state: 'active' },
    ]);
    const { rows: wraps } = await client.query<{ root: number }>(
      'select distinct wrapped_by as root from keys.data_keys where wrapped is not null',
    );
    expect(wraps).to.deep.equal([{ root: 2 }]);
    await assertAllThere();
    await untilDone(['rotate-master', 'retire', '--apply']);
    const retired = await runOperator(env, ['rotate-master', 'retire', '--apply']);
    expect(retired.code, `${retired.out}${retired.err}`).to.equal(0);
    await assertAllThere();
  });

  it(`leaves a key file that opens the data, whenever the change of the file was cut off (seed ${seed})`, async () => {
    const before = await readFile(join(folder.dataDir, 'master.key'), 'utf8');
    for (let n = 0; n < kills; n++) {
      const running = startOperator(env, ['rotate-master', 'kek', '--apply']);
      await Promise.race([running.ended, wait(leastMs + random() * (mostMs - leastMs))]);
      running.kill();
      injected('kill -9');
      await running.ended;
      const { code, out, err } = await runOperator(env, ['rotate-master']);
      expect(code, `${out}${err}`).to.equal(0);
    }
    // Done now, or done before: a second change waits for the end of the first.
    const last = await runOperator(env, ['rotate-master', 'kek', '--apply']);
    if (last.code !== 0) expect(last.err).to.contain('the key was changed already');
    const retired = await runOperator(env, ['rotate-master', 'retire', '--apply']);
    expect(retired.code, `${retired.out}${retired.err}`).to.equal(0);
    expect(await readFile(join(folder.dataDir, 'master.key'), 'utf8')).not.to.equal(before);
    const [first] = services.splice(0, 1);
    await first?.terminate();
    const again = spawnService(await freePort(), folder.dataDir, {
      ...oneProcess,
      DATABASE_URL: database.url,
    });
    await again.ready();
    services.push(again);
    await assertAllThere();
  });
});
