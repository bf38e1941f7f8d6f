/** Read models, checkpoints and keys belong to one log: another one is noticed before anything is done. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { LogDoesNotFit } from '../../infra/postgres/followed-log.ts';
import { rejection } from '../contract/event-store.ts';
import {
  type EventStoreDbServer,
  startEventStoreDbServer,
} from '../support/eventstoredb-server.ts';
import { runOperator } from '../support/operator.ts';
import { copyDatabase, freshDatabase } from '../support/postgres.ts';
import { startTestService } from '../support/service.ts';
import { atRest, registerAccount, sendOne } from '../support/some-letters.ts';

describe('the log that a database was made from', function () {
  this.timeout(180_000);
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let env: Record<string, string>;

  beforeEach(async () => {
    database = await freshDatabase();
    env = { DATABASE_URL: database.url, MASTER_KEY: randomBytes(32).toString('hex') };
  });
  afterEach(() => database.drop());

  const sql = async (text: string): Promise<void> => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(text);
    await client.end();
  };
  /** Sends a letter with a service that is then stopped, everything being done. */
  const serveOnce = async (): Promise<void> => {
    const service = await startTestService(env);
    await sendOne(service.url, await registerAccount(service.url));
    await atRest(service.url);
    await service.stop();
  };
  const refusal = async (): Promise<string> => {
    const error = await rejection(startTestService(env));
    expect(error).to.be.instanceOf(LogDoesNotFit);
    return (error as Error).message;
  };
  /** Copies a table as `pg_dump --data-only` and `psql` do. */
  const copyRows = async (table: string, from: string, to: string): Promise<void> => {
    const source = new pg.Client({ connectionString: from });
    const target = new pg.Client({ connectionString: to });
    await Promise.all([source.connect(), target.connect()]);
    const { rows } = await source.query(`select json_agg(t) as all from ${table} t`);
    await target.query(`truncate ${table}`);
    await target.query(
      `insert into ${table} select * from json_populate_recordset(null::${table}, $1)`,
      [JSON.stringify(rows[0].all)],
    );
    await Promise.all([source.end(), target.end()]);
  };
  const starts = async (): Promise<void> => {
    const service = await startTestService(env);
    await atRest(service.url);
    await service.stop();
  };

  describe('in EventStoreDB', () => {
    let server: EventStoreDbServer;
    beforeEach(async () => {
      server = await startEventStoreDbServer();
      env = { ...env, EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: server.connectionString };
      await serveOnce();
    });
    afterEach(() => server.close());

    it('is the same after a restart', starts);

    it('goes on from backups in the order of the guides: PostgreSQL, the log, the keys', async () => {
      const backup = await copyDatabase(database.url);
      try {
        await serveOnce();
        for (const table of ['keys.data_keys', 'identity.private_keys']) {
          await copyRows(table, database.url, backup.url);
        }
        env = { ...env, DATABASE_URL: backup.url };
        await starts();
        const verified = await runOperator(env, ['verify']);
        expect(verified.code, verified.err + verified.out).to.equal(0);
        expect(verified.out).to.match(/personal parts: [1-9]\d* opened/);
      } finally {
        await backup.drop();
      }
    });

    it('is refused when it is another, empty one: which, where, and what to do', async () => {
      server.replaceLog();
      expect(await refusal())
        .to.match(/event log esdb:\/\/127\.0\.0\.1:\d+ does not fit this database/)
        .and.match(/begins with event [0-9a-f-]{36}, and it is empty/)
        .and.match(/Restore the log .* npm run operator -- rebuild all --accept-log/);
      // Refused as well by every command of the operator.
      const verify = await runOperator(env, ['verify']);
      expect(verify.code).to.equal(1);
      expect(verify.err).to.include('does not fit this database');
    });

    it('is refused when it lost its last event, also when others have come since', async () => {
      server.loseTail(1);
      expect(await refusal()).to.match(/at position \d+, where this log has no event/);
      for (let n = 0; n < 60; n++) {
        server.log.append(`s${n}`, 'no-stream', [
          {
            id: crypto.randomUUID(),
            type: 'Other',
            contentType: 'application/json',
            data: Buffer.from('{}'),
            metadata: Buffer.from('{"at":"2026-01-01T00:00:00.000Z","schema":1}'),
          },
        ]);
      }
      expect(await refusal()).to.match(/at position \d+, where (esdb|this log)/);
    });

    it('is taken as the truth when the operator says so, and the service works on it', async () => {
      server.loseTail(2);
      await refusal();
      const accepted = await runOperator(env, ['rebuild', 'all', '--accept-log']);
      expect(accepted.err).to.equal('');
      expect(accepted.out).to.match(/agree up to position \d+/);
      await serveOnce();
      const verified = await runOperator(env, ['verify']);
      expect(verified.out).to.include('OK: everything holds.');
      server.replaceLog();
      expect((await runOperator(env, ['rebuild', 'all', '--accept-log'])).code).to.equal(0);
      await serveOnce();
      expect((await runOperator(env, ['verify'])).out).to.include('OK: everything holds.');
    });

    it('is written down at the first start of a database of an older version', async () => {
      // The files that make these columns are applied again, as in a database of that version.
      const columns = ['read_models.checkpoints', 'reactors.checkpoints', 'deliveries.progress']
        .map((table) => `alter table ${table} drop column event_id, drop column event_position;`)
        .join('');
      const forget = `${columns} delete from migrations.applied
        where subject in ('read-models', 'reactors', 'deliveries');`;
      await sql(`${forget} drop table read_models.followed_log;`);
      await starts();
      await sql(forget);
      // The rest is enough to see that the end is gone.
      server.loseTail(1);
      await refusal();
    });

    it('is not accepted while a service runs on it', async () => {
      const service = await startTestService(env);
      const refused = await runOperator(env, ['rebuild', 'all', '--accept-log']);
      expect(refused.code).to.equal(1);
      expect(refused.err).to.include('the service runs; stop all its processes');
      await service.stop();
    });
  });

  it('is refused when the table of the log in PostgreSQL was emptied or cut off', async () => {
    await serveOnce();
    const cut = (condition: string): string =>
      `begin; alter table event_log.events disable trigger user;
       delete from event_log.events ${condition};
       update event_log.head set position = (select coalesce(max(position), 0) from event_log.events);
       alter table event_log.events enable trigger user; commit`;
    await sql(cut('where position = (select max(position) from event_log.events)'));
    expect(await refusal())
      .to.match(/event log in PostgreSQL does not fit/)
      .and.match(/and the log ends at position \d+/);
    await sql(cut(''));
    expect(await refusal()).to.match(/and it is empty/);
  });
});
