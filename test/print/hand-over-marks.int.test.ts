import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { createHandOverMarks, type HandOverMarks } from '../../infra/print/hand-over-marks.ts';
import { freshDatabase } from '../support/postgres.ts';

const [first, second] = ['2026-11-03T23:59:59.999Z', '2026-11-04T00:00:00.000Z'] as const;

describe('the mark of a job', () => {
  let db: ReturnType<typeof createReadDb>;
  let drop: () => Promise<void>;
  let marks: HandOverMarks;

  beforeEach(async () => {
    const database = await freshDatabase();
    drop = database.drop;
    db = createReadDb({ url: database.url, max: 2, applicationName: 'test', onError: () => {} });
    marks = createHandOverMarks(db, 'http');
  });
  afterEach(async () => {
    await db.close();
    await drop();
  });

  it('keeps the date of the attempt that it names', async () => {
    const job = randomUUID();
    const claims = await Promise.all([
      marks.claim(job, 'one', first),
      marks.claim(randomUUID(), 'other', second),
    ]);
    expect(claims).to.deep.equal(['one', 'other']);
    expect(await marks.claim(job, 'two', second)).to.equal('one');
    expect(await marks.datedAt(job)).to.equal(first);
  });

  it('gets the date of a later attempt if the print house certainly has no earlier one', async () => {
    const job = randomUUID();
    await marks.renew(job, 'one', first);
    await marks.renew(job, 'two', second);
    expect([await marks.of(job), await marks.datedAt(job)]).to.deep.equal(['two', second]);
    await marks.forget(job);
    expect(await marks.datedAt(job)).to.equal(undefined);
  });

  it('has no date if an earlier version wrote it', async () => {
    const job = randomUUID();
    await marks.claim(job, 'one');
    expect(await marks.datedAt(job)).to.equal(undefined);
  });
});
