import { expect } from 'chai';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { ledger } from '../../projections/ledger/project.ts';
import { statementOf } from '../../projections/ledger/query.ts';
import { generationTable } from '../../projections/projection.ts';
import { freshDatabase } from '../support/postgres.ts';

const entries = 100_000;
/** One entry a minute. */
const start = Date.UTC(2026, 0, 1);
const minuteMs = 60_000;

describe('the ledger of a busy wallet', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let db: ReturnType<typeof createReadDb>;

  before(async function () {
    this.timeout(60_000);
    database = await freshDatabase();
    db = createReadDb({
      url: database.url,
      max: 2,
      applicationName: 'test-ledger',
      onError: () => {},
    });
    const first = generationTable(1);
    await db.query('create schema read_models');
    for (const table of ledger.tables) {
      await db.query(table.create(first(table.name), undefined));
      await db.query(`create view read_models.${table.name} as select * from ${first(table.name)}`);
    }
    for (const account of ['available:acct_1', 'available:acct_2', 'revenue']) {
      await db.query(
        `insert into ${first('ledger_entries')} (account, position, crypto_micro, fiat_micro, wei, balance_micro,
           type, event_id, created_at)
         select $1, n, 0, 1, 0, n, 'FundsCredited', gen_random_uuid(), $2::timestamptz + n * interval '1 minute'
         from generate_series(1, $3::int) n`,
        [account, new Date(start), entries],
      );
    }
  });

  after(async () => {
    await db.close();
    await database.drop();
  });

  const statement = (from: number, until: number, limit = 1_000_000) =>
    statementOf(db, {
      account: 'available:acct_1',
      from: new Date(start + from * minuteMs),
      until: new Date(start + until * minuteMs),
      limit,
    });

  it('gives a statement of 100,000 entries with less than a second of work', async () => {
    const begun = process.cpuUsage();
    const lines = await statement(0, entries + 1);
    expect(process.cpuUsage(begun).user / 1_000).to.be.below(1_000);
    expect(lines).to.have.length(entries);
    expect(lines.at(-1)).to.include({ amountMicro: 1n, balanceMicro: BigInt(entries) });
  });

  it('gives a period with its first instant and without its last, in the order of the log', async () => {
    const lines = await statement(500, 503);
    expect(lines.map(({ position }) => position)).to.deep.equal([500n, 501n, 502n]);
  });

  it('goes on after a position', async () => {
    const [, last] = await statement(500, 600, 2);
    const more = await statementOf(db, {
      account: 'available:acct_1',
      from: new Date(start),
      until: new Date(start + 600 * minuteMs),
      after: last?.position ?? 0n,
      limit: 1,
    });
    expect(more.map(({ position }) => position)).to.deep.equal([502n]);
  });
});
