import { expect } from 'chai';
import pg from 'pg';
import { statementOf, statementPeriod } from '../../projections/ledger/query.ts';
import { ensureReadModels } from '../../projections/rebuild.ts';
import { explaining, type Plan, rowsRead } from '../support/explain.ts';
import { openWorld, type World } from '../support/projection-world.ts';
import { projections } from '../support/some-projections.ts';

const lines = 100_000;
const account = 'available:acct_big';
const atMs = (n: number): number => Date.UTC(2026, 0, 1) + n * 1_000;

/** A fifth of all lines are one wallet's; every seventh is by a clock that is ten seconds slow. */
const insert = `
  insert into read_models.ledger_entries_g1 (account, position, crypto_micro, fiat_micro, wei,
    balance_micro, type, event_id, created_at, reached_at)
  select case n % 5 when 0 then '${account}' else 'available:acct_' || n % 1000 end, n, 1, 0, 0,
    0, 'FundsCredited', md5(n::text)::uuid, at, max(at) over (partition by n % 5 = 0, n % 1000 * (n % 5) order by n)
  from (
    select n, timestamptz '2026-01-01 00:00:00Z'
      + (n - (n / 5 % 7 = 0)::int * 10) * interval '1 second' as at
    from generate_series(0, ${lines - 1}) n) made`;

describe('a statement among 100,000 lines', () => {
  let world: World;
  let client: pg.Client;
  before(async function () {
    this.timeout(180_000);
    world = await openWorld();
    await ensureReadModels(world, projections);
    client = new pg.Client({ connectionString: world.url });
    await client.connect();
    await client.query(
      'alter table read_models.ledger_entries_g1 set (autovacuum_enabled = false)',
    );
    await client.query(insert);
  });
  after(async () => {
    await client.end();
    await world.close();
  });

  /** As a statement is defined: from the first line at or after a time. */
  const firstSince = async (ms: number): Promise<string> => {
    const { rows } = await client.query(
      `select min(position) as position from read_models.ledger_entries
       where account = $1 and created_at >= $2`,
      [account, new Date(ms)],
    );
    return String(rows[0].position);
  };

  for (const known of ['without statistics', 'with statistics']) {
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      for (const [from, until] of [
        [5, 200],
        [50_000, 50_500],
        [50_003, 50_496],
        [99_900, undefined],
      ] as const) {
        it(`from ${from} to ${until ?? 'now'} reads its lines, ${known}, ${mode}`, async () => {
          if (known === 'with statistics') await client.query('analyze');
          await client.query(`set plan_cache_mode = ${mode}`);
          const plans: Plan[] = [];
          const db = explaining(client, plans);
          const period = await statementPeriod(db, {
            account,
            from: new Date(atMs(from)),
            countTo: 1_000,
            until: until === undefined ? undefined : new Date(atMs(until)),
          });
          expect(String(period.first)).to.equal(await firstSince(atMs(from)));
          if (until !== undefined) {
            expect(String(period.end)).to.equal(await firstSince(atMs(until)));
          }
          const entries = await statementOf(db, { account, ...period, limit: 1_000 });
          expect(entries.length).to.equal(period.entries);
          expect(entries.length).to.be.above(10);
          const read = rowsRead(plans, 'ledger_entries_g1');
          expect(read).to.be.at.most(2 * entries.length + 4);
        });
      }
    }
  }
});
