/** The tables of a backup, and that rows come back as they were. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { expect } from 'chai';
import pg from 'pg';
import { writeContent } from '../../infra/backup/hashed-file.ts';
import type { BackupNote } from '../../infra/backup/note.ts';
import { restoreTables } from '../../infra/backup/restore-tables.ts';
import { savedSequences, savedTables, selectAll } from '../../infra/backup/tables.ts';
import { addJob } from '../../infra/jobs/add-job.ts';
import { copyOut } from '../../infra/postgres/copy-out.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { holdWaitingMails } from '../../service/wings/held-mails.ts';
import { mailTask } from '../../service/wings/mail-jobs.ts';
import { freshDatabase } from '../support/postgres.ts';

describe('tables of a backup', function () {
  this.timeout(180_000);
  let databases: Awaited<ReturnType<typeof freshDatabase>>[] = [];
  let clients: pg.Client[] = [];
  let dbs: ReturnType<typeof createReadDb>[] = [];
  let folder = '';

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'letters-test-tables-'));
    await mkdir(join(folder, 'tables'));
    databases = [await freshDatabase(), await freshDatabase()];
    for (const { url } of databases) {
      const db = createReadDb({ url, max: 2, applicationName: 'test', onError: () => {} });
      dbs.push(db);
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      clients.push(client);
    }
  });
  after(async () => {
    for (const client of clients) await client.end();
    for (const db of dbs) await db.close();
    for (const database of databases) await database.drop();
    await rm(folder, { recursive: true, force: true });
    [clients, dbs, databases] = [[], [], []];
  });

  const first = (): pg.Client => clients[0] as pg.Client;
  const second = (): pg.Client => clients[1] as pg.Client;

  it('are all permanent tables but read models, leases, marks of folders, sessions, links and the list of migrations', async () => {
    const { rows } = await first().query<{ name: string }>(
      `select n.nspname || '.' || c.relname as name
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind = 'r' and c.relpersistence = 'p'
         and n.nspname not in ('pg_catalog', 'information_schema', 'read_models', 'migrations')`,
    );
    const names = (await savedTables(first())).map(({ name }) => name);
    const all = rows
      .map(({ name }) => name)
      .filter(
        (name) =>
          !/^(reactors\.(leases|folder_marks)|console\.(sessions|links|operator_\w+))$/.test(name),
      );
    expect(names).to.have.members(all);
    expect(names).to.include.members(['event_log.events', 'keys.data_keys', 'work.jobs']);
  });

  it('come back row by row, with every character, and sequences go on', async () => {
    const odd = 'a\tb\\c\nd\r🙂';
    await first().query(
      `insert into event_log.events values (1, 'letter-x', 0, gen_random_uuid(), 'T', $1, '{}')`,
      [odd.repeat(60_000)],
    );
    await first().query('update event_log.head set position = 1');
    await first().query(
      `insert into deliveries.messages (kind, endpoint_id, account_id, event_id, position, lane, type, at, state, next_at)
       values ('status', 'e', 'a', gen_random_uuid(), 1, 'l', 't', '', 'due', now())`,
    );
    await first().query(
      `insert into deliveries.attempts select message_id, now(), 200, null, 5 from deliveries.messages`,
    );
    await addJob(dbs[0] as (typeof dbs)[number], mailTask, { mailId: 'm1', kind: 'confirm' });

    const tables: BackupNote['tables'] = [];
    for (const table of await savedTables(first())) {
      const file = join('tables', `${table.name}.copy.gz`);
      const content = await writeContent(join(folder, file), (sink) =>
        copyOut(first(), selectAll(table), sink),
      );
      tables.push({ ...table, ...content, file });
    }
    const sequences = await savedSequences(first());
    await restoreTables(second(), folder, { tables, sequences });

    for (const { name, ...table } of tables) {
      const query = selectAll({ name, ...table });
      const [theirs, ours] = [await first().query(query), await second().query(query)];
      expect(ours.rows, name).to.deep.equal(theirs.rows);
      expect(ours.rows.length, name).to.equal(table.lines);
    }
    const next = `select nextval(pg_get_serial_sequence('deliveries.messages', 'message_id')) as n`;
    expect((await second().query(next)).rows).to.deep.equal((await first().query(next)).rows);
  });

  it('are copied into a stream that is ended before it drains or breaks, and the connection goes on', async () => {
    let bytes = 0;
    const slow = new Writable({
      highWaterMark: 1,
      write: (chunk: Buffer, _encoding, done) => {
        bytes += chunk.length;
        setImmediate(done);
      },
    });
    await copyOut(first(), `select n from generate_series(1, 20000) n`, slow);
    slow.end();
    expect((await first().query('select 1 as n')).rows).to.deep.equal([{ n: 1 }]);
    await finished(slow);
    const broken = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) => done(new Error('full')),
    });
    broken.on('error', () => {});
    await copyOut(first(), `select n from generate_series(1, 200000) n`, broken);
    expect((await first().query('select 1 as n')).rows).to.deep.equal([{ n: 1 }]);
    expect(bytes).to.equal(Array.from({ length: 20_000 }, (_, n) => `${n + 1}\n`).join('').length);
  });

  it('leave no mail in the queue that may have been sent, and name it', async () => {
    const db = dbs[1] as (typeof dbs)[number];
    await addJob(db, 'another-task', { subject: 'x' });
    expect(await holdWaitingMails(db)).to.deep.equal([
      { mailId: 'm1', kind: 'confirm', stream: null },
    ]);
    expect(await holdWaitingMails(db)).to.deep.equal([]);
    const { rows } = await db.query<{ task: string }>('select task from work.jobs');
    expect(rows).to.deep.equal([{ task: 'another-task' }]);
  });
});
