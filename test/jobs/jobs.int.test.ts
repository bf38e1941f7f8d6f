import { spawn } from 'node:child_process';
import { expect } from 'chai';
import { addJob, addJobs } from '../../infra/jobs/add-job.ts';
import { failedJobs, retryJob } from '../../infra/jobs/failed-jobs.ts';
import { type JobTask, startJobs } from '../../infra/jobs/jobs.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { enqueueMailsIn } from '../../service/wings/mail-jobs.ts';
import { freshDatabase } from '../support/postgres.ts';
import { eventually } from '../support/service-process.ts';

type Logged = { fields: Record<string, unknown>; message: string };

describe('background jobs', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let db: ReturnType<typeof createReadDb>;
  let logged: Logged[];
  const stops: (() => Promise<void>)[] = [];
  const note = (fields: object, message: string): void => {
    logged.push({ fields: { ...fields }, message });
  };
  const log = { warn: note, error: note };

  beforeEach(async () => {
    logged = [];
    database = await freshDatabase();
    const { url } = database;
    db = createReadDb({ url, max: 3, applicationName: 'test-jobs', onError: () => undefined });
  });

  afterEach(async () => {
    for (const stop of stops.splice(0).toReversed()) await stop();
    await db.close();
    await database.drop();
  });

  const start = (
    tasks: Record<string, JobTask>,
    concurrency = 4,
    slotsOf: Record<string, number> = {},
  ) => {
    const jobs = startJobs({ db, url: database.url, tasks, log, concurrency, slotsOf });
    stops.push(() => jobs.stop());
    return jobs;
  };

  const left = async (): Promise<number> => {
    const { rows } = await db.query('select 1 from work.jobs');
    return rows.length;
  };

  it('run what a transaction added once it is committed, and nothing that was rolled back', async () => {
    const seen: unknown[] = [];
    start({ note: async (payload) => void seen.push(payload) });
    await db
      .transaction(async (tx) => {
        await addJob(tx, 'note', { id: 'never' });
        throw new Error('rolled back');
      })
      .catch(() => undefined);
    await db.transaction((tx) => addJob(tx, 'note', { id: 'one' }));
    await eventually('the job ran', () => seen.length > 0);
    await eventually('no job is left', async () => (await left()) === 0);
    expect(seen).to.deep.equal([{ id: 'one' }]);
  });

  it('of a task with slots of its own delay no other task, nor the other way round', async () => {
    const begun: string[] = [];
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const work = async (payload: unknown) => {
      begun.push((payload as { id: string }).id);
      await over;
    };
    start({ slow: work, mail: work, other: work }, 2, { slow: 1 });
    for (const id of ['slow 1', 'slow 2']) await addJob(db, 'slow', { id });
    await eventually('a slow one runs', () => begun.length === 1);
    await addJob(db, 'mail', { id: 'mail' });
    await addJob(db, 'other', { id: 'other 1' });
    await addJob(db, 'other', { id: 'other 2' });
    await eventually('the others run', () => begun.length === 3);
    expect(begun).to.have.members(['slow 1', 'mail', 'other 1']);
    resolve();
    await eventually('no job is left', async () => (await left()) === 0);
    expect(begun).to.have.length(5);
  });

  it('run a task that throws again, and log neither payload nor more than the message', async () => {
    let runs = 0;
    start({
      fragile: async (_, { attempt }) => {
        runs = attempt;
        if (attempt < 2) throw new Error('not yet');
      },
    });
    await addJob(db, 'fragile', { id: 'planted-payload' });
    await eventually('it ran twice', () => runs === 2);
    expect(JSON.stringify(logged)).to.contain('not yet').and.not.contain('planted-payload');
  });

  const rowsOf = async (): Promise<{ key: string; payload: object; run_at: Date }[]> =>
    (await db.query('select key, payload, run_at from work.jobs order by key')).rows as never;

  it('keep why and since when they fail, until they are added again', async () => {
    let runs = 0;
    start({
      fragile: async () => {
        runs++;
        throw Object.assign(new Error('mail to olga@example.com was refused'), { code: 'EAUTH' });
      },
    });
    await addJob(db, 'fragile', {}, { key: 'one' });
    const failed = async () => (await failedJobs(db, 10))[0];
    await eventually('it failed', async () => Boolean((await failed())?.error));
    const first = await failed();
    expect(first?.error).to.equal('EAUTH: mail to [address] was refused');
    expect(first?.failing_since).to.be.instanceOf(Date);
    expect(logged[0]?.fields.err).to.equal(first?.error);
    const before = runs;
    await retryJob(db, 'one');
    await eventually('it failed again', async () => {
      const isAgain = runs > before;
      return isAgain && Boolean((await failed())?.error);
    });
    await addJob(db, 'idle', {}, { key: 'one' });
    const { rows } = await db.query('select error, failing_since from work.jobs');
    expect(rows).to.deep.equal([{ error: null, failing_since: null }]);
  });

  it('keep one waiting job per key, at the earlier time when that is asked for', async () => {
    const now = Date.now();
    const later = { key: 'k', runAtMs: now + 90_000 };
    await addJob(db, 'later', { n: 1 }, { key: 'k', runAtMs: now + 60_000 });
    await addJob(db, 'later', { n: 2 }, { ...later, onConflict: 'earliest' });
    expect(await rowsOf()).to.deep.equal([
      { key: 'k', payload: { n: 2 }, run_at: new Date(now + 60_000) },
    ]);
    await addJob(db, 'later', { n: 3 }, later);
    expect((await rowsOf())[0]?.run_at).to.deep.equal(new Date(later.runAtMs));
    const added = ['l', 'k', 'l'].map((key, n) => ({ key, payload: { n } }));
    await Promise.all([addJobs(db, 'later', added), addJobs(db, 'later', added.toReversed())]);
    const ready = (await rowsOf()).filter(({ run_at: at }) => at.getTime() <= Date.now());
    expect(ready.map(({ key }) => key)).to.deep.equal(['k', 'l']);
  });

  for (const aheadMinutes of [-5, 5]) {
    it(`that send mails wait by the clock of the service, ${aheadMinutes} minutes ahead of the database`, async () => {
      const clock = () => Date.now() + aheadMinutes * 60_000;
      const enqueue = enqueueMailsIn(db, clock);
      const job = { kind: 'recovery', accountId: 'acct_1', period: 1 } as const;
      await enqueue('1', job, clock());
      await enqueue('2', job, clock() + 60_000);
      const waits = (await rowsOf()).map(({ run_at: at }) => at.getTime() - Date.now());
      expect(waits[0]).to.be.closeTo(0, 20_000);
      expect(waits[1]).to.be.closeTo(60_000, 20_000);
    });
  }

  it('run once more when they are added under their key while they run', async () => {
    const seen: unknown[] = [];
    const first = Promise.withResolvers<void>();
    start({
      again: async (payload) => {
        seen.push(payload);
        if (seen.length === 1) await first.promise;
      },
    });
    await addJob(db, 'again', { n: 1 }, { key: 'k' });
    await eventually('it runs', () => seen.length === 1);
    await addJob(db, 'again', { n: 2 }, { key: 'k', runAtMs: Date.now() + 60_000 });
    first.resolve();
    await addJob(db, 'again', { n: 3 }, { key: 'other' });
    await eventually('the other one ran and is done', async () => {
      const keys = (await rowsOf()).map(({ key }) => key);
      return seen.length === 2 && keys.join() === 'k';
    });
    await addJob(db, 'again', { n: 2 }, { key: 'k', onConflict: 'earliest' });
    await eventually('no job is left', async () => (await left()) === 0);
    expect(seen).to.deep.equal([{ n: 1 }, { n: 3 }, { n: 2 }]);
  });

  it('are each run by one of several processes', async () => {
    const seen: string[] = [];
    const tasks = { count: async (payload: unknown) => void seen.push(JSON.stringify(payload)) };
    for (let n = 0; n < 3; n++) start(tasks, 2);
    const payloads = Array.from({ length: 200 }, (_, n) => ({ n }));
    await addJobs(
      db,
      'count',
      payloads.map((payload) => ({ key: `job ${payload.n}`, payload })),
    );
    await eventually('no job is left', async () => (await left()) === 0);
    expect(seen.sort()).to.deep.equal(payloads.map((one) => JSON.stringify(one)).sort());
  });

  it('are run no more than 25 times, and then stay for the operator to see', async () => {
    await addJob(db, 'broken', {}, { key: 'k' });
    await db.query('update work.jobs set attempts = max_attempts - 1');
    const runs: boolean[] = [];
    start({
      broken: async (_, { lastAttempt }) => {
        runs.push(lastAttempt);
        throw new Error('broken');
      },
    });
    await eventually('it failed for good', () =>
      logged.some(({ message }) => message === 'a job failed for good'),
    );
    await addJob(db, 'none', {});
    await eventually('its end is recorded', async () => {
      const { rows } = await db.query("select 1 from work.jobs where key = 'k' and claim is null");
      return rows.length === 1;
    });
    expect(runs).to.deep.equal([true]);
  });

  it('of an earlier version are taken over, except those that its processes run', async () => {
    await db.query('create schema jobs');
    await db.query('create table jobs._private_tasks (id int, identifier text)');
    await db.query("insert into jobs._private_tasks values (1, 'note')");
    await db.query(`create table jobs._private_jobs (id bigint, task_id int, key text, payload json,
      run_at timestamptz, attempts int, max_attempts int, locked_at timestamptz, locked_by text)`);
    await db.query(`insert into jobs._private_jobs values
      (1, 1, 'waits', '{"id":"waits"}', now(), 0, 25, null, null),
      (2, 1, null, '{"id":"lost"}', now(), 1, 25, now() - interval '1 minute', 'dead pool'),
      (3, 1, 'runs', '{"id":"runs"}', now(), 1, 25, now(), 'new pool'),
      (4, 1, 'over', '{"id":"over"}', now(), 25, 25, null, null)`);
    const seen: string[] = [];
    start({ note: async (payload) => void seen.push((payload as { id: string }).id) });
    await eventually('two jobs ran', async () => seen.length === 2 && (await left()) === 0);
    expect(seen.sort()).to.deep.equal(['lost', 'waits']);
    const { rows } = await db.query<{ key: string }>(
      'select key from jobs._private_jobs order by id',
    );
    expect(rows.map(({ key }) => key)).to.deep.equal(['runs', 'over']);
  });

  it('wait for what runs when they are stopped', async () => {
    const steps: string[] = [];
    const jobs = start({
      slow: async (_, { signal }) => {
        steps.push('begun');
        await new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
        steps.push('told to stop');
      },
    });
    await addJob(db, 'slow', {});
    await eventually('it runs', () => steps.length > 0);
    await jobs.stop();
    expect(steps).to.deep.equal(['begun', 'told to stop']);
    expect(await left()).to.equal(0);
  });

  it('that a stop cuts short run again at once in the next process, and the attempt does not count', async () => {
    const attempts: number[] = [];
    const hang: JobTask = async (_, { attempt, signal }) => {
      attempts.push(attempt);
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      signal.throwIfAborted();
    };
    const { stop } = start({ hang });
    await addJob(db, 'hang', {});
    await eventually('it runs', () => attempts.length === 1);
    await stop();
    const { rows } = await db.query(
      'select attempts, claim, error, run_at <= now() as due from work.jobs',
    );
    expect(rows).to.deep.equal([{ attempts: 0, claim: null, error: null, due: true }]);
    expect(logged).to.deep.equal([]);
    start({ hang: async (_, { attempt }) => void attempts.push(attempt) });
    await eventually('no job is left', async () => (await left()) === 0);
    expect(attempts).to.deep.equal([1, 1]);
  });

  it('of a process that was killed run again in another within seconds', async () => {
    const script = new URL('../support/take-job-and-hang.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, [script, database.url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await addJob(db, 'hang', { id: 'taken' });
      await new Promise<void>((resolve, reject) => {
        child.stdout.once('data', () => resolve());
        child.once('exit', () => reject(new Error('it ended')));
      });
    } finally {
      child.kill('SIGKILL');
    }
    const seen: unknown[] = [];
    start({ hang: async (payload) => void seen.push(payload) });
    await eventually('the job ran', () => seen.length > 0);
    expect(seen).to.deep.equal([{ id: 'taken' }]);
  });
});
