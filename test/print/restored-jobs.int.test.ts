import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Db } from '../../ground/db.ts';
import {
  beginGeneration,
  currentGeneration,
  settleGeneration,
} from '../../infra/postgres/log-generations.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { createRestoredJobs } from '../../infra/print/restored-jobs.ts';
import { freshDatabase } from '../support/postgres.ts';

const restoredAt = Date.parse('2026-11-03T09:10:00.000Z');
const before = '2026-11-03T09:10:00.000Z';
const after = '2026-11-03T09:10:00.001Z';

describe('doubts about jobs of a restored service', () => {
  let db: ReturnType<typeof createReadDb>;
  let drop: () => Promise<void>;
  let statements: string[];
  let jobs: ReturnType<typeof createRestoredJobs>;

  beforeEach(async () => {
    const database = await freshDatabase();
    drop = database.drop;
    const options = { url: database.url, max: 2, applicationName: 'test', onError: () => {} };
    db = createReadDb(options);
    statements = [];
    const counting: Db = {
      query(text, values) {
        statements.push(text);
        return db.query(text, values);
      },
    };
    jobs = createRestoredJobs(counting);
  });
  afterEach(async () => {
    await db.close();
    await drop();
  });

  const restore = () => beginGeneration(db, { at: restoredAt, head: 0n, settled: false });

  it('are none before the first generation of the log', async () => {
    expect(await jobs.doubtOf(randomUUID(), before)).to.equal('none');
  });

  it('are answered for each letter of a set by one statement', async () => {
    await restore();
    const [printed, again, early, late] = Array.from({ length: 4 }, () => randomUUID());
    await jobs.decide(printed ?? '', true);
    await jobs.decide(again ?? '', false);
    statements.length = 0;
    const doubts = await Promise.all([
      jobs.doubtOf(late ?? '', after),
      jobs.doubtOf(again?.toUpperCase() ?? '', before),
      jobs.doubtOf(early ?? '', before),
      jobs.doubtOf(printed ?? '', after),
      jobs.doubtOf(early ?? '', after),
    ]);
    expect(doubts).to.deep.equal(['none', 'again', 'undecided', 'printed', 'none']);
    expect(statements).to.have.length(1);
  });

  it('end for a job that was handed over again, and for all once the operator settled them', async () => {
    await restore();
    const [again, undecided] = [randomUUID(), randomUUID()];
    await jobs.decide(again, false);
    await jobs.handedOver(again);
    expect(await jobs.doubtOf(again, before)).to.equal('none');
    expect(await jobs.doubtOf(undecided, before)).to.equal('undecided');
    await settleGeneration(db, (await currentGeneration(db))?.number ?? 0n);
    expect(await jobs.doubtOf(undecided, before)).to.equal('none');
  });

  it('come back with the next restore, except for what the print house has', async () => {
    await restore();
    const [printed, again] = [randomUUID(), randomUUID()];
    await jobs.decide(printed, true);
    await jobs.decide(again, false);
    await restore();
    expect(await jobs.doubtOf(printed, before)).to.equal('printed');
    expect(await jobs.doubtOf(again, before)).to.equal('undecided');
    expect(await jobs.doubtOf(again, after)).to.equal('none');
  });

  it('leave jobs to hand over in pages, without those of an earlier restore', async () => {
    await restore();
    await jobs.decide(randomUUID(), false);
    await restore();
    const ids = Array.from({ length: 3 }, () => randomUUID()).toSorted();
    for (const id of ids) await jobs.decide(id, false);
    expect(await jobs.toHandOver(2)).to.deep.equal(ids.slice(0, 2));
    expect(await jobs.toHandOver(2, ids[1])).to.deep.equal(ids.slice(2));
  });

  it('are not taken for none when the database gives no answer', async () => {
    await restore();
    await db.query('drop table print.restored_jobs');
    const results = await Promise.allSettled([
      jobs.doubtOf(randomUUID(), before),
      jobs.doubtOf(randomUUID(), before),
    ]);
    expect(results.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
  });
});
