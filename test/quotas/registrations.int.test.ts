import { expect } from 'chai';
import pg from 'pg';
import { isAppError } from '../../contract/errors.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import {
  admitRegistration,
  standingOf,
  sweepRegistrations,
} from '../../infra/quotas/registrations.ts';
import { defaultLimits } from '../../limits/table.ts';
import { createTurnOf } from '../../service/foundation/turns.ts';
import { explaining, type Plan, rowsRead } from '../support/explain.ts';
import { freshDatabase } from '../support/postgres.ts';

describe('registrations in PostgreSQL', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let db: ReturnType<typeof createReadDb>;

  before(async () => {
    database = await freshDatabase();
    db = createReadDb({ url: database.url, max: 4, applicationName: 'test', onError: () => {} });
    await db.query(
      'create table read_models.accounts (account_id text, test boolean, confirmed_at timestamptz)',
    );
    await db.query(
      'create table read_models.ledger_entries (account text, type text, receipt_id text)',
    );
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  const limits = { ...defaultLimits, registrationsPerHour: 3, registrationsPerDay: 5 };
  const admit = (accountId: string, address: string) =>
    admitRegistration(db, { accountId, address }, limits).then(
      () => 'admitted',
      (error: unknown) => {
        if (!isAppError(error)) throw error;
        expect(error.code).to.equal('rate_limited');
        return Number(error.headers?.['Retry-After']);
      },
    );
  const age = (address: string, interval: string) =>
    db.query('update limits.registrations set at = at - $2::interval where address = $1', [
      address,
      interval,
    ]);

  it('admits so many accounts of an address in an hour, and so many in a day', async () => {
    for (const n of [1, 2, 3]) expect(await admit(`hour_${n}`, 'a')).to.equal('admitted');
    expect(await admit('hour_4', 'a')).to.be.within(3_500, 3_600);
    expect(await admit('hour_4', 'b'), 'of another address').to.equal('admitted');
    await age('a', '61 minutes');
    for (const n of [4, 5]) expect(await admit(`day_${n}`, 'a')).to.equal('admitted');
    expect(await admit('day_6', 'a')).to.be.within(82_000, 82_740);
    await age('a', '23 hours');
    expect(await admit('day_6', 'a')).to.equal('admitted');
  });

  it('counts a repeated registration once', async () => {
    for (const n of [1, 2, 1, 2, 3, 3, 1]) {
      expect(await admit(`again_${n}`, 'c')).to.equal('admitted');
    }
    expect(await admit('again_4', 'c')).to.be.a('number');
  });

  it('has no limit where the limit is 0', async () => {
    const unlimited = { ...defaultLimits, registrationsPerHour: 0, registrationsPerDay: 0 };
    for (let n = 0; n < 20; n++) {
      await admitRegistration(db, { accountId: `free_${n}`, address: 'd' }, unlimited);
    }
  });

  it('reads only registrations that count: of a day, of an hour, or none', async () => {
    const hourly = { ...defaultLimits, registrationsPerDay: 0 };
    const none = { ...hourly, registrationsPerHour: 0 };
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    for (const [address, wanted, age] of [
      ['daily', defaultLimits, '25 hours'],
      ['hourly', hourly, '2 hours'],
      ['none', none, '1 minute'],
    ] as const) {
      await db.query(
        `insert into limits.registrations (account_id, address, at)
         select $1 || n, $1, clock_timestamp() - $2::interval from generate_series(1, 5000) n`,
        [address, age],
      );
      const plans: Plan[] = [];
      await admitRegistration(explaining(client, plans), { accountId: address, address }, wanted);
      expect(rowsRead(plans, 'registrations'), address).to.be.below(10);
    }
    await client.end();
  });

  it('forgets the address of an account after 90 days', async () => {
    await admit('old', 'e');
    await age('e', '91 days');
    await admit('new', 'f');
    expect(await sweepRegistrations(db)).to.be.at.least(1);
    expect((await standingOf(db, 'old')).registeredFrom).to.equal(undefined);
    expect((await standingOf(db, 'new')).registeredFrom).to.equal('f');
  });

  it('gives a live account its turn by its money, then by its address of mail', async () => {
    await db.query(`insert into read_models.accounts values
      ('funded', false, null), ('confirmed', false, now()), ('fresh', false, null), ('test', true, now())`);
    await db.query(`insert into read_models.ledger_entries values ('available:funded', 'FundsCredited', 'r1'),
      ('available:funded', 'FundsReserved', null), ('available:test', 'FundsCredited', 'r3')`);
    await admit('fresh', 'g');
    const time = { ms: 0 };
    const turnOf = createTurnOf({ db, digest: (address) => `#${address}`, now: () => time.ms });
    const from = '192.0.2.1';
    const turns = await Promise.all(
      ['funded', 'confirmed', 'fresh', 'test', 'unknown'].map((account) =>
        turnOf({ account, address: from }),
      ),
    );
    expect(turns.map(({ standing }) => standing)).to.deep.equal([
      ...['funded', 'confirmed', 'free', 'free', 'free'],
    ]);
    expect(turns[2]).to.deep.equal({
      standing: 'free',
      account: 'fresh',
      address: '#192.0.2.1',
      registeredFrom: 'g',
    });
    expect(await turnOf({ address: from })).to.deep.equal({
      standing: 'free',
      address: '#192.0.2.1',
    });
    await db.query(
      `insert into read_models.ledger_entries values ('available:fresh', 'FundsCredited', 'r2')`,
    );
    const again = () => turnOf({ account: 'fresh', address: from });
    expect((await again()).standing, 'remembered').to.equal('free');
    time.ms += 6_000;
    expect((await again()).standing, 'some seconds later').to.equal('funded');
  });
});
