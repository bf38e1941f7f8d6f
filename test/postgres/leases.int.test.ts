import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { leaseTimes } from '../../events/keep-leases.ts';
import { LeaseLost } from '../../events/lease.ts';
import { assertNobodyFollows } from '../../infra/postgres/followed-log.ts';
import { createLeases, forgetLeases, unownedLeases } from '../../infra/postgres/leases.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { freshDatabase } from '../support/postgres.ts';
import { seeded } from '../support/seeded.ts';
import { eventually } from '../support/service-process.ts';

/** For tests that wait for the end of a lease. A lease also ends when the machine stands still for this time. */
const short = { leaseMs: 600, roundMs: 50, marginMs: 100, idleMs: 250 };
const usual = { ...leaseTimes, roundMs: 50, idleMs: 250 };
const never = new AbortController().signal;

describe('leases', function () {
  this.timeout(180_000);
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let db: ReturnType<typeof createReadDb>;
  const opened: { close(): Promise<void> }[] = [];

  beforeEach(async () => {
    database = await freshDatabase();
    db = createReadDb({ url: database.url, max: 6, applicationName: 'test', onError: () => {} });
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
    await db.close();
    await database.drop();
  });

  const open = async (times = usual) => {
    const leases = await createLeases({ db, url: database.url, times });
    opened.push(leases);
    return leases;
  };

  const owned = async (leases: Awaited<ReturnType<typeof open>>, name = 'work') => {
    const lease = await leases.own(name, never);
    if (!lease) throw new Error('nobody wanted it to end');
    return lease;
  };

  it('let one own a name at a time, and another when it is given back', async () => {
    const [one, two] = [await open(), await open()];
    const first = await owned(one);
    let second: Awaited<ReturnType<typeof owned>> | undefined;
    const waiting = owned(two).then((lease) => {
      second = lease;
    });
    await first.check();
    expect(second).to.equal(undefined);
    await first.release();
    await waiting;
    await second?.check();
    expect(await first.check().catch((error) => error)).to.be.instanceOf(LeaseLost);
  });

  it('are renewed for as long as their process lives', async () => {
    // A process that stood still for as long as a lease has lost it: whether one that runs keeps it, is tried again.
    await eventually('a lease is kept for twice its time', async () => {
      const lease = await owned(await open(short));
      const first = Date.now();
      await eventually('it has passed', () => Date.now() - first > 2 * short.leaseMs);
      await lease.check();
      return !lease.signal.aborted;
    });
  });

  it('let nobody take over while an effect is being recorded, and the server ends one that hangs', async () => {
    const [one, two] = [await open(), await open()];
    const lease = await owned(one);
    let guarded = (): void => {};
    const inside = new Promise<void>((resolve) => {
      guarded = resolve;
    });
    const taken = Promise.withResolvers<void>();
    const recording = db
      .transaction(async (tx) => {
        await lease.guard(tx);
        guarded();
        await taken.promise;
        await tx.query('select 1');
      })
      .catch((error) => error);
    await inside;
    // As a frozen process: it is silent, and its transaction stays open.
    await one.close();
    const next = await owned(two);
    taken.resolve();
    expect(await recording).to.be.instanceOf(Error);
    await db.transaction((tx) => next.guard(tx));
  });

  it('refuse what a former owner records', async () => {
    const [one, two] = [await open(), await open()];
    const lease = await owned(one);
    await one.close();
    await owned(two);
    const late = await db.transaction((tx) => lease.guard(tx)).catch((error) => error);
    expect(late).to.be.instanceOf(LeaseLost);
  });

  it('tell what nobody owns, until nobody wants it any more', async () => {
    const leases = await open();
    const lease = await owned(leases, 'production');
    expect(await unownedLeases(db)).to.deep.equal([]);
    await lease.release();
    const unowned = await eventually('nobody owns it', async () => {
      const found = await unownedLeases(db);
      return found.length > 0 && found;
    });
    expect(unowned.map(({ name }) => name)).to.deep.equal(['production']);
    await forgetLeases(db, ['production']);
    expect(await unownedLeases(db)).to.have.length(1);
    await forgetLeases(db, []);
    expect(await unownedLeases(db)).to.deep.equal([]);
  });

  /** As a process leaves its lease that dies before the server's clock is set back. */
  const endIn = (interval: string) =>
    db.query(
      `insert into reactors.leases (name, owner, token, expires_at)
       values ('work', 'gone', nextval('reactors.tokens'), clock_timestamp() + $1::interval)`,
      [interval],
    );

  it('that end later than any lease can are taken over as soon as one that was just renewed', async () => {
    const leases = await open(short);
    await endIn('1 hour');
    const lease = await owned(leases);
    await lease.check();
  });

  it('that end later than any lease can count as unowned', async () => {
    await open();
    await endIn('20 minutes');
    expect(await unownedLeases(db)).to.deep.equal([{ name: 'work', forMs: 0 }]);
    await assertNobodyFollows(db);
    await db.query('delete from reactors.leases');
    await endIn('3 seconds');
    expect(await unownedLeases(db)).to.deep.equal([]);
    const refused = await assertNobodyFollows(db).catch((error: unknown) => error);
    expect(String(refused)).to.contain('the service runs');
  });

  it('are kept by a process that lives when the clock is set back', async () => {
    const [one, two] = [await open(), await open()];
    const lease = await owned(one);
    const stop = new AbortController();
    const waiting = two.own('work', stop.signal);
    await db.query("update reactors.leases set expires_at = clock_timestamp() + interval '1 hour'");
    await eventually('the lease is short again', async () => {
      const { rows } = await db.query<{ short: boolean }>(
        "select expires_at < clock_timestamp() + interval '1 minute' as short from reactors.leases",
      );
      return rows[0]?.short;
    });
    await lease.check();
    stop.abort();
    expect(await waiting).to.equal(undefined);
  });

  it('are nobody’s once their process has closed, whatever a round did meanwhile', async () => {
    const random = seeded(31);
    for (let n = 0; n < 25; n++) {
      const one = await createLeases({ db, url: database.url, times: usual });
      const kept = await owned(one, 'kept');
      const wanted = new AbortController();
      const waiting = one.own('late', wanted.signal);
      await sleep(random() * 6);
      wanted.abort();
      await Promise.all([kept.release(), waiting]);
      await one.close();
      await assertNobodyFollows(db);
    }
  });

  it('end a wait that is not wanted any more', async () => {
    const [one, two] = [await open(), await open()];
    await owned(one);
    const stop = new AbortController();
    const waiting = two.own('work', stop.signal);
    stop.abort();
    expect(await waiting).to.equal(undefined);
  });
});
