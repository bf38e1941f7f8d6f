import { expect } from 'chai';
import { type Lease, LeaseLost } from '../../events/lease.ts';
import { asPosition } from '../../events/position.ts';
import { createCheckpoints } from '../../infra/postgres/checkpoints.ts';
import { createLeases } from '../../infra/postgres/leases.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { freshDatabase } from '../support/postgres.ts';

const name = 'count-letters';
const never = new AbortController().signal;

describe('the checkpoint of a reactor', function () {
  this.timeout(180_000);
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let db: ReturnType<typeof createReadDb>;
  let leases: Awaited<ReturnType<typeof createLeases>>;

  beforeEach(async () => {
    database = await freshDatabase();
    db = createReadDb({ url: database.url, max: 6, applicationName: 'test', onError: () => {} });
    leases = await createLeases({ db, url: database.url });
  });
  afterEach(async () => {
    await leases.close();
    await db.close();
    await database.drop();
  });

  const own = async (): Promise<Lease> => {
    const lease = await leases.own(name, never);
    if (!lease) throw new Error('nobody wanted it to end');
    return lease;
  };

  const row = async () => {
    const { rows } = await db.query(
      'select position, event_position, event_id from reactors.checkpoints where name = $1',
      [name],
    );
    return rows[0];
  };

  it('is saved by the owner, never moves back, and keeps the last event that is known', async () => {
    const checkpoints = await createCheckpoints(db);
    const lease = await own();
    const id = '0b6c6a52-7d5c-5a3e-9d55-2f8d9b1c7e11';
    const last = { position: asPosition(8n), id };
    expect(await checkpoints.read(name)).to.equal(0n);
    await checkpoints.save(name, asPosition(9n), lease, last);
    expect(await row()).to.deep.equal({ position: 9n, event_position: 8n, event_id: id });
    await checkpoints.save(name, asPosition(4n), lease);
    await checkpoints.save(name, asPosition(12n), lease);
    expect(await row()).to.deep.equal({ position: 12n, event_position: 8n, event_id: id });
    expect(await checkpoints.read(name)).to.equal(12n);
  });

  it('stays where it is when a former owner saves it, who learns that the lease is lost', async () => {
    const checkpoints = await createCheckpoints(db);
    const lease = await own();
    await checkpoints.save(name, asPosition(3n), lease);
    await db.query(
      `update reactors.leases set owner = 'another', token = nextval('reactors.tokens')
       where name = $1`,
      [name],
    );
    const late = await checkpoints
      .save(name, asPosition(7n), lease)
      .catch((error: unknown) => error);
    expect(late).to.be.instanceOf(LeaseLost);
    expect(await checkpoints.read(name)).to.equal(3n);
    expect(lease.signal.aborted).to.equal(true);
  });

  const countingDb = () => {
    const counts = { asked: 0 };
    const counting: typeof db = {
      ...db,
      query(text, values) {
        counts.asked++;
        return db.query(text, values);
      },
      transaction: () => Promise.reject(new Error('a transaction takes three more')),
    };
    return { counts, counting };
  };

  it('is saved in one statement', async () => {
    const { counts, counting } = countingDb();
    const checkpoints = await createCheckpoints(counting);
    await checkpoints.save(name, asPosition(3n), await own());
    expect(counts.asked).to.equal(1);
  });

  it('is read in one statement with those of other reactors that begin at the same time', async () => {
    const lease = await own();
    const before = asPosition(2n);
    const parked = { stream: 'letter-1', version: 4n, before, type: 'LetterQueued', error: 'no' };
    const checkpoints = await createCheckpoints(db);
    await checkpoints.save(name, asPosition(3n), lease);
    await checkpoints.park(name, parked, lease);
    const { counts, counting } = countingDb();
    const others = await createCheckpoints(counting);
    const names = ['other-letters', name, 'new-letters'];
    expect(await Promise.all(names.map(others.read))).to.deep.equal([0n, 3n, 0n]);
    expect(counts.asked).to.equal(1);
    expect(await Promise.all(names.map(others.parked))).to.deep.equal([[], [parked], []]);
    expect(counts.asked).to.equal(2);
  });
});
