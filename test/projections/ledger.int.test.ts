import { expect } from 'chai';
import { defaultLimits } from '../../limits/table.ts';
import { ledger } from '../../projections/ledger/project.ts';
import { statementOf, statementPeriod } from '../../projections/ledger/query.ts';
import { ensureReadModels } from '../../projections/rebuild.ts';
import { statementOperation, wholeStatement } from '../../read-api/statement.ts';
import { openWorld, type World } from '../support/projection-world.ts';

const entries = 100_000;
/** One entry a minute. */
const start = Date.UTC(2026, 0, 1);
const minuteMs = 60_000;

describe('the ledger of a busy wallet', () => {
  let world: World;
  let db: World['db'];

  before(async function () {
    this.timeout(180_000);
    world = await openWorld();
    ({ db } = world);
    await ensureReadModels(world, [ledger]);
    for (const account of ['available:acct_1', 'available:acct_2', 'revenue']) {
      await db.query(
        `insert into read_models.ledger_entries_g1 (account, position, crypto_micro, fiat_micro, wei, balance_micro,
           type, event_id, created_at, reached_at)
         select $1, n, 0, 1, 0, n, 'FundsCredited', gen_random_uuid(), at, at
         from generate_series(1, $3::int) n, lateral (select $2::timestamptz + n * interval '1 minute' as at) made`,
        [account, new Date(start), entries],
      );
    }
    await db.query('analyze read_models.ledger_entries_g1');
  });

  after(() => world.close());

  const account = 'available:acct_1';

  const periodOf = (from: number, until: number) =>
    statementPeriod(db, {
      account,
      from: new Date(start + from * minuteMs),
      until: new Date(start + until * minuteMs),
      countTo: entries + 1,
    });

  const statement = async (from: number, until: number, limit = 1_000_000) =>
    statementOf(db, { account, limit, ...(await periodOf(from, until)) });

  it('gives a statement of 100,000 entries', async () => {
    const lines = await statement(0, entries + 1);
    expect(lines).to.have.length(entries);
    expect(lines.at(-1)).to.include({ amountMicro: 1n, balanceMicro: BigInt(entries) });
  });

  it('gives a period with its first instant and without its last, in the order of the log', async () => {
    const lines = await statement(500, 503);
    expect(lines.map(({ position }) => position)).to.deep.equal([500n, 501n, 502n]);
  });

  it('counts the lines of a period', async () => {
    expect(await periodOf(500, 503)).to.deep.equal({ first: 500n, end: 503n, entries: 3 });
    expect((await periodOf(entries + 1, entries + 2)).entries).to.equal(0);
    const all = { account, from: new Date(0), until: undefined, countTo: entries + 1 };
    expect((await statementPeriod(db, all)).entries).to.equal(entries);
    const few = { ...all, countTo: 10 };
    expect((await statementPeriod(db, few)).entries).to.equal(10);
  });

  it('goes on after a position', async () => {
    const [, last] = await statement(500, 600, 2);
    const period = await periodOf(0, 600);
    const more = await statementOf(db, {
      account,
      ...period,
      after: last?.position ?? 0n,
      limit: 1,
    });
    expect(more.map(({ position }) => position)).to.deep.equal([502n]);
  });

  const ports = {
    clock: () => start + (entries + 1) * minuteMs,
    limits: { ...defaultLimits, statementEntries: entries },
    openForAccount: async <P>(_account: string, sealed: readonly object[]) =>
      sealed.map((): P | undefined => undefined),
  };
  /** Each entry adds one micro-USD; the last line is the closing balance. */
  const expectWhole = (lines: string[]): void => {
    const balances = lines.map((line) => Math.round(Number(line.split(',')[4]) * 1e6));
    expect(balances).to.have.length(entries + 1);
    const wrong = balances.findIndex((balance, n) => balance !== Math.min(n + 1, entries));
    expect(wrong, `line ${wrong} is ${lines[wrong]}`).to.equal(-1);
  };

  it('becomes a statement in parts that join without a gap', async () => {
    const operation = statementOperation({ ...ports, db });
    const request = { caller: { accountId: 'acct_1' }, query: {} };
    const { body } = await operation.handle(request as Parameters<typeof operation.handle>[0]);
    const lines = String(body).trimEnd().split('\r\n').slice(2);
    expectWhole(lines);
  });

  it('becomes a whole statement, which goes on behind an entry', async () => {
    let text = '';
    let behind = 0n;
    for await (const { bytes, next } of wholeStatement({ ...ports, db }, 'acct_1')) {
      text += bytes.toString('utf8');
      behind = next ?? 0n;
      if (behind >= entries / 2) break;
    }
    const first = text.trimEnd().split('\r\n');
    expect(first[1]).to.include(',opening_balance,,0.00,');
    let more = '';
    for await (const { bytes } of wholeStatement({ ...ports, db }, 'acct_1', behind)) {
      more += bytes.toString('utf8');
    }
    const second = more.trimEnd().split('\r\n');
    expect(second[0]).to.equal(first[0]);
    const closing = second.at(-1) ?? '';
    expect(closing).to.include(',closing_balance,');
    expectWhole([...first.slice(2), ...second.slice(1)]);
    const end: string[] = [];
    for await (const { bytes } of wholeStatement({ ...ports, db }, 'acct_1', BigInt(entries))) {
      end.push(bytes.toString('utf8'));
    }
    expect(end).to.deep.equal([`${first[0]}\r\n`, `${closing}\r\n`]);
  });
});
