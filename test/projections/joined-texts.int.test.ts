import { expect } from 'chai';
import fc from 'fast-check';
import pg from 'pg';
import { joined, split } from '../../projections/upsert.ts';
import { emptyDatabase } from '../support/postgres.ts';

describe('texts that are given as one parameter', () => {
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

  const rowsOf = async (texts: string[]): Promise<string[]> => {
    const { rows } = await client.query<{ one: string }>(
      `select one from unnest(${split('$1')}) as given (one)`,
      [joined(texts)],
    );
    return rows.map(({ one }) => one);
  };

  it('are as many rows, in their order, also a single empty one', async () => {
    expect(await rowsOf([''])).to.deep.equal(['']);
    const text = fc.constantFrom('', 'a', ' ', '{}', '"', "'", '\\', 'ü');
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 4 }), async (texts) => {
        expect(await rowsOf(texts)).to.deep.equal(texts);
      }),
    );
  });
});
