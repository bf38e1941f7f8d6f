/** Figures of waiting work, as Prometheus reads them. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import type { Db } from '../../ground/db.ts';
import { addJob } from '../../infra/jobs/add-job.ts';
import { giveUpJob, removeJob } from '../../infra/jobs/failed-jobs.ts';
import { mailJobKey } from '../../infra/mail/mail-channels.ts';
import { recordRun } from '../../infra/postgres/command-runs.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { addWorkMetrics, readWork } from '../../service/run/work-metrics.ts';
import { serviceDatabase } from '../support/service-database.ts';

const seriesOf = (text: string): string[] =>
  text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

describe('the figures of waiting work', function () {
  this.timeout(180_000);
  let database: Awaited<ReturnType<typeof serviceDatabase>>;
  let db: ReturnType<typeof createReadDb>;

  before(async () => {
    database = await serviceDatabase();
    const options = { max: 1, applicationName: 'letters-test', onError: () => {} };
    db = createReadDb({ url: database.url, ...options });
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  it('stay as they were while the database is away', async () => {
    await recordRun(db, {
      command: 'backup',
      atMs: 1_795_000_000_000,
      succeeded: true,
      seconds: 3,
      detail: '',
    });
    await addJob(db, 'mail', { mailId: 'waits' }, { key: 'mail:waits', runAtMs: 1 });
    let asked: Pick<Db, 'query'> = db;
    const registry = new Registry();
    addWorkMetrics(registry, () => readWork(asked as Db));
    const before = seriesOf(await registry.metrics());
    expect(before).to.include.members([
      'command_success_timestamp_seconds{command="backup"} 1795000000',
      'command_success_timestamp_seconds{command="verify"} 0',
      'mails_waiting 1',
    ]);
    asked = {
      query: async () => {
        throw new Error('the database does not answer');
      },
    };
    expect(seriesOf(await registry.metrics())).to.deep.equal(before);
  });

  it('count a mail that is tried again later, and not one whose time has not come', async () => {
    await db.query('delete from work.jobs');
    const hourMs = 3_600_000;
    const [putOff, later] = [randomUUID(), randomUUID()];
    for (const mailId of [putOff, later]) {
      await addJob(db, 'mail', { mailId }, { key: mailJobKey(mailId), waitMs: hourMs });
    }
    const waiting = async () => (await readWork(db)).get('mails_waiting')?.[0]?.value;
    expect(await waiting()).to.equal(0);
    await db.query(
      `insert into read_models.mails (mail_id, account_id, kind, state, attempts)
       values ($1, 'acct_1', 'shipped', 'retrying', '[]')`,
      [putOff],
    );
    expect(await waiting()).to.equal(1);
    await db.query('update work.jobs set run_at = now()');
    expect(await waiting()).to.equal(2);
  });

  it('count a mail that was given up as a failed job until it is removed, and not as one that waits', async () => {
    await db.query('delete from work.jobs');
    const figure = async (name: string) => (await readWork(db)).get(name)?.[0]?.value;
    const mailsWaiting = () => figure('mails_waiting');
    await addJob(db, 'mail', { mailId: 'lost' }, { key: 'mail:lost', runAtMs: 1 });
    expect(await mailsWaiting()).to.equal(1);
    expect(await figure('jobs_failed')).to.equal(0);
    expect(await giveUpJob(db, 'mail:lost')).to.equal(true);
    expect(await mailsWaiting()).to.equal(0);
    expect(await figure('jobs_failed')).to.equal(1);
    expect(await removeJob(db, 'mail:lost')).to.equal(true);
    expect(await figure('jobs_failed')).to.equal(0);
  });
});
