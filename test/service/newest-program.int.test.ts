/** An older program that meets events of a newer one: it refuses to start, or stops serving. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import pg from 'pg';
import { StartRefused } from '../../contract/start-refused.ts';
import { eventVersions } from '../../events/registry.ts';
import { rejection } from '../contract/event-store.ts';
import { call, letterBody, registerTestAccount, startClients } from '../support/letter-client.ts';
import { auditMoney } from '../support/log-audit.ts';
import { runOperator } from '../support/operator.ts';
import { freshDatabase } from '../support/postgres.ts';
import { assertReadModelsEqual } from '../support/read-models.ts';
import { startTestService, type TestService } from '../support/service.ts';
import {
  eventually,
  freePort,
  killLeftovers,
  makeDataDir,
  spawnService,
} from '../support/service-process.ts';
import { atRest, registerAccount, sendOne } from '../support/some-letters.ts';

const root = join(import.meta.dirname, '..', '..');

/** Settings with which this program has read models in the version before: their modules are changed as they are loaded. */
const olderProgram = async (...readModels: string[]) => {
  const folder = await mkdtemp(join(tmpdir(), 'letters-older-'));
  const sources: Record<string, string> = {};
  for (const name of readModels) {
    const file = join(root, 'projections', name, 'project.ts');
    const text = await readFile(file, 'utf8');
    const older = text.replace(
      /^ {2}version: (\d+),$/m,
      (_, version) => `  version: ${version - 1},`,
    );
    expect(older).not.to.equal(text);
    sources[pathToFileURL(file).href] = older;
  }
  const hook = join(folder, 'older.mjs');
  await writeFile(
    hook,
    `import { registerHooks } from 'node:module';
    const sources = ${JSON.stringify(sources)};
    registerHooks({
      load(url, context, next) {
        const loaded = next(url, context);
        return url in sources ? { ...loaded, source: sources[url] } : loaded;
      },
    });`,
  );
  return {
    env: { NODE_OPTIONS: `--import=${hook}` },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
};

describe('a program beside or after a newer one', function () {
  this.timeout(180_000);
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let env: Record<string, string>;
  let service: TestService | undefined;

  beforeEach(async () => {
    database = await freshDatabase();
    env = { DATABASE_URL: database.url, MASTER_KEY: randomBytes(32).toString('hex') };
  });
  afterEach(async () => {
    await service?.stop();
    service = undefined;
    await killLeftovers();
    await database.drop();
  });

  const sql = async (text: string): Promise<pg.QueryResult> => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      return await client.query(text);
    } finally {
      await client.end();
    }
  };
  /** Does what a program does that writes a newer version of an event. */
  const startNewer = (type = 'LetterQueued') =>
    sql(`update read_models.followed_log set program = '9.1.0',
         event_versions = event_versions || '{"${type}": 99}'`);
  const stopService = async (): Promise<void> => {
    await service?.stop();
    service = undefined;
  };

  it('writes down what it writes, and starts again', async () => {
    service = await startTestService(env);
    const { rows } = await sql('select program, event_versions from read_models.followed_log');
    expect(rows[0].event_versions).to.deep.equal(eventVersions);
    expect(rows[0].program).to.match(/^\d+\.\d+\.\d+$/);
    await stopService();
    service = await startTestService(env);
    expect((await call(service.url, 'GET', '/ready')).status).to.equal(200);
  });

  it('raises what an older program, or one from before this was written down, has left', async () => {
    service = await startTestService(env);
    await stopService();
    for (const older of [`program = '0.0.1', event_versions = '{"LetterQueued": 1}'`, 'none']) {
      if (older === 'none') {
        await sql(
          `alter table read_models.followed_log drop column program, drop column event_versions;
           delete from migrations.applied where subject = 'read-models'`,
        );
      } else await sql(`update read_models.followed_log set ${older}`);
      service = await startTestService(env);
      await stopService();
      const { rows } = await sql('select event_versions from read_models.followed_log');
      expect(rows[0].event_versions).to.deep.equal(eventVersions);
    }
  });

  it('is refused with the version that is needed, as is a command of the operator', async () => {
    service = await startTestService(env);
    await stopService();
    const refused = async (what: RegExp): Promise<void> => {
      const error = await rejection(startTestService(env));
      expect(error).to.be.instanceOf(StartRefused);
      expect((error as Error).message).to.match(what);
      const { code, err } = await runOperator(env, ['verify']);
      expect(code).to.equal(1);
      expect(err).to.match(what);
    };
    await sql(`update read_models.projections set version = version + 1 where name = 'letters'`);
    await refused(/the read model letters is written in version \d+, .* knows version \d+; start/);
    await sql(`update read_models.projections set version = version - 1 where name = 'letters'`);
    await startNewer('LetterFramed');
    await refused(
      /LetterFramed is written in version 99, and this program does not know it; start/,
    );
    const { rows } = await sql('select program from read_models.followed_log');
    expect(rows[0].program).to.equal('9.1.0');
    expect(((await rejection(startTestService(env))) as Error).message).to.match(
      /start version 9\.1\.0 or a later version\.$/,
    );
  });

  it('stops serving within seconds: 503 with a reason, never 500', async () => {
    service = await startTestService(env);
    const { url } = service;
    const key = await registerAccount(url);
    await sendOne(url, key);
    await startNewer();
    const reason = await service.service.outdated;
    expect(reason).to.include('LetterQueued is written in version 99');
    const ready = await call(url, 'GET', '/ready');
    expect([ready.status, ready.body.code]).to.deep.equal([503, 'store_unavailable']);
    expect(ready.body.detail).to.equal(`Not ready: ${reason}`);
    const sent = await call(url, 'POST', '/api/send', { key, body: letterBody('Hello.') });
    expect([sent.status, sent.body.code]).to.deep.equal([503, 'store_unavailable']);
    expect(sent.body.detail).to.include('an older version than its data needs');
    const listed = await call(url, 'GET', '/api/letters', { key });
    expect(listed.status).to.equal(503);
    expect((await call(url, 'GET', '/health')).status).to.equal(200);
  });

  it('answers 503 as soon as a newer one has switched the read models, never 500', async () => {
    service = await startTestService(env);
    const { url } = service;
    const key = await registerAccount(url);
    const letter = await sendOne(url, key);
    await atRest(url);
    await sql(`begin; alter view read_models.letters rename column status to state;
      update read_models.projections set version = version + 1 where name = 'letters'; commit`);
    for (const path of ['/api/letters', `/api/letters/${letter}`, '/api/letters?status=queued']) {
      const { status, body } = await call(url, 'GET', path, { key });
      expect([status, body.code], path).to.deep.equal([503, 'store_unavailable']);
      expect(body.detail).to.include('an older version than its data needs');
    }
    expect(await service.service.outdated).to.include('the read model letters is written in');
  });

  it('answers 503 where it meets an event of a newer schema that nobody announced', async () => {
    service = await startTestService(env);
    const { url } = service;
    const key = await registerAccount(url);
    const letter = await sendOne(url, key);
    await atRest(url);
    await sql(`begin; alter table event_log.events disable trigger user;
      update event_log.events set metadata = jsonb_set(metadata::jsonb, '{schema}', '99')::text
      where stream like '%${letter}' and type = 'LetterQueued';
      alter table event_log.events enable trigger user; commit`);
    const cancelled = await call(url, 'POST', `/api/letters/${letter}/cancel`, { key });
    expect([cancelled.status, cancelled.body.code]).to.deep.equal([503, 'store_unavailable']);
    await sendOne(url, key);
  });

  it('ends by itself, and the same program then refuses to start', async () => {
    const { dataDir, remove } = makeDataDir();
    try {
      const process = spawnService(await freePort(), dataDir, { ...env, LOG_LEVEL: 'info' });
      await process.ready();
      await startNewer();
      await eventually(
        '/ready says why',
        async () => (await fetch(`${process.url}/ready`)).status === 503,
      );
      expect((await process.exited).code).to.equal(1);
      const said = process.output().match(/a newer version of the program works here/g);
      expect(said, process.output()).to.have.length(1);
      const again = spawnService(await freePort(), dataDir, env);
      expect((await again.exited).code, again.output()).to.equal(1);
      expect(again.output()).to.include('start version 9.1.0 or a later version.');
    } finally {
      await remove();
    }
  });

  it('serves until a newer one has filled its read models, and no acknowledged letter is lost', async () => {
    const [older, folder] = [await olderProgram('letters', 'wallets'), makeDataDir()];
    try {
      const old = spawnService(await freePort(), folder.dataDir, { ...env, ...older.env });
      await old.ready();
      const keys: string[] = [];
      for (let n = 0; n < 20; n++) keys.push((await registerTestAccount(old.url, `side-${n}`)).key);
      let serving = old;
      const clients = startClients({
        url: () => serving.url,
        keys,
        clients: 2,
        name: 'side',
        restMs: 30,
      });
      const goesOn = async (): Promise<void> => {
        const before = clients.sent.length;
        await eventually('letters are sent', () => clients.sent.length >= before + 10);
      };
      await goesOn();
      const versions = async () => {
        const { rows } = await sql(
          `select name, version from read_models.projections where name in ('letters', 'wallets') order by name`,
        );
        return rows.map(({ version }) => version);
      };
      const before = await versions();

      const newer = spawnService(await freePort(), folder.dataDir, env);
      await newer.ready();
      serving = newer;
      await goesOn();
      expect((await old.exited).code).to.equal(1);
      await goesOn();
      await clients.stop();

      expect(await versions()).to.deep.equal(before.map((version: number) => version + 1));
      expect(clients.unexpected).to.deep.equal([]);
      const acknowledged = clients.sent.flatMap(({ letterId }) => letterId ?? []);
      expect(new Set(acknowledged).size).to.equal(acknowledged.length);
      const { letters } = await auditMoney(database.url);
      expect([...letters.keys()]).to.have.members(acknowledged);
      await atRest(newer.url);
      await assertReadModelsEqual(database.url, await auditMoney(database.url));
    } finally {
      await killLeftovers();
      await older.remove();
      await folder.remove();
    }
  });
});
