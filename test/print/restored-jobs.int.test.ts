import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Db } from '../../ground/db.ts';
import {
  beginGeneration,
  beginRestored,
  currentGeneration,
  recordPartner,
  settleGeneration,
} from '../../infra/postgres/log-generations.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { createRestoredJobs } from '../../infra/print/restored-jobs.ts';
import { readConfig } from '../../service/config/config.ts';
import type { Foundation } from '../../service/foundation/wing.ts';
import { mayBeHandedOverIn, mayBePrintedIn } from '../../service/wings/print-partners.ts';
import { freshDatabase } from '../support/postgres.ts';

const restoredAt = Date.parse('2026-11-03T09:10:00.000Z');
const before = '2026-11-03T09:10:00.000Z';
const after = '2026-11-03T09:10:00.001Z';

const folder = { name: 'hotfolder', remembersJobs: false };
const house = { name: 'http', remembersJobs: true };

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
    jobs = createRestoredJobs(counting, { name: 'http', recordedAs: 'http b' });
  });
  afterEach(async () => {
    await db.close();
    await drop();
  });

  const restore = async () =>
    beginRestored(db, await currentGeneration(db), { at: restoredAt, head: 0n });

  it('are none before the first generation of the log', async () => {
    expect(await jobs.doubtOf(randomUUID(), before, folder)).to.equal('none');
  });

  it('are answered for each letter of a set by one statement', async () => {
    await restore();
    const [printed, again, early, late] = Array.from({ length: 4 }, () => randomUUID());
    await jobs.decide(printed ?? '', true);
    await jobs.decide(again ?? '', false);
    statements.length = 0;
    const doubts = await Promise.all([
      jobs.doubtOf(late ?? '', after, folder),
      jobs.doubtOf(again?.toUpperCase() ?? '', before, folder),
      jobs.doubtOf(early ?? '', before, folder),
      jobs.doubtOf(printed ?? '', after, folder),
      jobs.doubtOf(early ?? '', after, folder),
    ]);
    expect(doubts).to.deep.equal(['none', 'again', 'undecided', 'printed', 'none']);
    expect(statements).to.have.length(1);
  });

  it('end for a job that was handed over again, and for all once the operator settled them', async () => {
    await restore();
    const [again, undecided] = [randomUUID(), randomUUID()];
    await jobs.decide(again, false);
    await jobs.handedOver(again);
    expect(await jobs.doubtOf(again, before, folder)).to.equal('none');
    expect(await jobs.wasGivenAgain(again)).to.equal(true);
    expect(await jobs.wasGivenAgain(undecided)).to.equal(false);
    expect(await jobs.doubtOf(undecided, before, folder)).to.equal('undecided');
    await settleGeneration(db, (await currentGeneration(db))?.number ?? 0n);
    expect(await jobs.doubtOf(undecided, before, folder)).to.equal('none');
  });

  it('come back with the next restore, except for what the print house has', async () => {
    await restore();
    const [printed, again] = [randomUUID(), randomUUID()];
    await jobs.decide(printed, true);
    await jobs.decide(again, false);
    await restore();
    expect(await jobs.doubtOf(printed, before, folder)).to.equal('printed');
    expect(await jobs.doubtOf(again, before, folder)).to.equal('undecided');
    expect(await jobs.doubtOf(again, after, folder)).to.equal('none');
  });

  it('do not exist with a print house that remembers its jobs, unless another house may have printed them', async () => {
    const doubt = () => jobs.doubtOf(randomUUID(), before, house);
    const served = async (...partners: string[]): Promise<void> => {
      await beginGeneration(db, { at: 0, head: 0n, settled: true });
      for (const partner of partners) {
        await recordPartner(db, partner);
        await restore();
      }
    };
    await served('http b');
    expect(await doubt()).to.equal('none');
    await served('http b', 'http b');
    expect(await doubt()).to.equal('none');
    for (const others of [['hotfolder'], ['http a'], ['hotfolder', 'http b']]) {
      await served(...others);
      expect(await doubt(), others.join()).to.equal('undecided');
    }
    await served('hotfolder');
    const earlierHouse = { name: 'earlier', remembersJobs: true };
    expect(await jobs.doubtOf(randomUUID(), before, earlierHouse)).to.equal('none');
  });

  it('keep queued letters from being paid back, and let reports about them pass', async () => {
    await restore();
    const [undecided = '', printed = '', again = ''] = Array.from({ length: 3 }, () =>
      randomUUID(),
    );
    await jobs.decide(printed, true);
    await jobs.decide(again, false);
    const dueAt = Date.parse(before);
    const seen = async (now: number) => {
      const foundation = { config: readConfig({}), clock: () => now, storage: { readDb: db } };
      const ports = foundation as unknown as Foundation;
      const [isHeld, isReported] = [mayBePrintedIn(ports), mayBeHandedOverIn(ports)];
      const letters = [undecided, printed, again];
      return [
        await Promise.all(letters.map((letterId) => isHeld(letterId, before))),
        await Promise.all(letters.map((letterId) => isReported(letterId, before))),
      ];
    };
    expect(await seen(dueAt)).to.deep.equal([
      [true, true, false],
      [true, true, true],
    ]);
    expect(await seen(dueAt - 1)).to.deep.equal([
      [false, false, false],
      [false, false, false],
    ]);
  });

  it('stay where no partner is known that printed before the restore', async () => {
    await restore();
    expect(await jobs.doubtOf(randomUUID(), before, house)).to.equal('undecided');
    expect(await jobs.doubtOf(randomUUID(), after, house)).to.equal('none');
  });

  it('list the jobs to hand over in pages, without those of an earlier restore', async () => {
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
      jobs.doubtOf(randomUUID(), before, folder),
      jobs.doubtOf(randomUUID(), before, folder),
    ]);
    expect(results.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
  });
});
