import { expect } from 'chai';
import pg from 'pg';
import { bigint, defineTable, key, text } from '../../projections/upsert.ts';
import { emptyDatabase } from '../support/postgres.ts';

const columns = { id: key(text()), count: bigint() };
const rowsAt = (count: number) =>
  Array.from({ length: 1_000 }, (_, n) => ({ id: `acct_${n}`, count: BigInt(count) }));

describe('rows that change all the time', () => {
  let database: Awaited<ReturnType<typeof emptyDatabase>>;
  let client: pg.Client;

  before(async () => {
    database = await emptyDatabase();
    client = new pg.Client(database.url);
    await client.connect();
  });
  after(async () => {
    await client.end();
    await database.drop();
  });

  it('take the space of their last versions again, without a vacuum', async () => {
    const counters = defineTable('counters', columns, { busy: true });
    await client.query(counters.create('counters', undefined));
    await client.query('alter table counters set (autovacuum_enabled = false)');
    for (const statement of counters.ownIndexes('counters')) await client.query(statement);
    const bytes = async (): Promise<number> => {
      const { rows } = await client.query(
        "select pg_total_relation_size('counters')::int as bytes",
      );
      return rows[0].bytes;
    };
    const write = async (kind: 'add' | 'update', count: number): Promise<void> => {
      const { text, values } = counters.statementOf(kind, rowsAt(count), 'counters', undefined);
      await client.query(text, values);
    };
    await write('add', 0);
    const before = await bytes();
    for (let count = 1; count <= 10; count++) await write('update', count);
    // The maps of free and visible pages may have been made.
    expect(await bytes()).to.be.at.most(before + 40_000);
  });
});
