import { spawn } from 'node:child_process';
import { expect } from 'chai';
import { addJob, addJobs } from '../../infra/jobs/add-job.ts';
import { type JobTask, startJobs, upgradeJobs } from '../../infra/jobs/jobs.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
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
  const log = { debug: () => undefined, warn: note, error: note };

  beforeEach(async () => {
    logged = [];
    database = await freshDatabase();
    const { url } = database;
    db = createReadDb({ url, max: 3, applicationName: 'test-jobs', onError: () => undefined });
    await upgradeJobs({ url, log });
  });

  afterEach(async () => {
    for (const stop of stops.splice(0).toReversed()) await stop();
    await db.close();
    await database.drop();
  });

  const start = (tasks: Record<string, JobTask>, concurrency = 4) => {
    const jobs = startJobs({ url: database.url, tasks, log, concurrency });
    stops.push(() => jobs.stop());
    return jobs;
  };

  const left = async (): Promise<number> => {
    const { rows } = await db.query('select 1 from jobs.jobs');
    return rows.length;
  };

  it('are made ready by several processes at once', async () => {
    const { url } = database;
    await Promise.all([upgradeJobs({ url, log }), upgradeJobs({ url, log })]);
  });

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

  it('keep one waiting job per key, with its time when that is asked for', async () => {
    const now = Date.now();
    await addJob(db, 'later', { n: 1 }, { key: 'k', runAtMs: now + 60_000 });
    await addJob(
      db,
      'later',
      { n: 2 },
      { key: 'k', runAtMs: now + 90_000, onConflict: 'keep-time' },
    );
    const { rows } = await db.query<{ payload: object; run_at: Date }>(
      `select payload, run_at from jobs._private_jobs`,
    );
    expect(rows).to.have.length(1);
    expect(rows[0]?.payload).to.deep.equal({ n: 2 });
    expect(rows[0]?.run_at.getTime()).to.equal(now + 60_000);
    await addJobs(db, 'later', [
      { key: 'k', payload: { n: 3 } },
      { key: 'l', payload: { n: 4 } },
    ]);
    const ready = await db.query(`select 1 from jobs._private_jobs where run_at <= now()`);
    expect(ready.rows).to.have.length(2);
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
