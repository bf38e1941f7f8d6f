import { expect } from 'chai';
import type { AnyEvent } from '../../events/envelope.ts';
import { letterIdIn } from '../../events/letter.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { foldLetter } from '../../projections/letters/project.ts';
import { lettersById, recordFromEvents } from '../../projections/letters/query.ts';
import { letterTable } from '../../projections/letters/table.ts';
import { freshDatabase } from '../support/postgres.ts';
import { randomLetters } from '../support/random-letters.ts';

/** How rows are written at each event: existing ones in both ways. */
const kinds = ['add', 'update', 'save', 'update', 'save', 'update', 'save', 'update'] as const;
const lives = randomLetters(1, { letters: 200, events: kinds.length });
const table = 'read_models.letters';

/** Without members that are undefined. */
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}n` : one)));

describe('the rows of letters', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let db: ReturnType<typeof createReadDb>;
  before(async () => {
    database = await freshDatabase();
    db = createReadDb({ url: database.url, max: 2, applicationName: 'test', onError: () => {} });
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  it('say after each event what a fold of the events says, also to the projection itself', async () => {
    await db.query(letterTable.create(table, undefined));
    for (const statement of letterTable.ownIndexes(table)) await db.query(statement);
    const ids = lives.map(([first]) => letterIdIn(first?.stream ?? ''));
    for (const [n, kind] of kinds.entries()) {
      const loaded = await letterTable.load(db, table, 'letter_id', ids);
      const rows = lives.flatMap((events, of) => {
        const row = foldLetter(loaded.get(ids[of] ?? ''), events[n] as AnyEvent);
        return row ? [row] : [];
      });
      const { text, values } = letterTable.statementOf(kind, rows, table, undefined);
      await db.query(text, values);
      const read = await lettersById(db, ids);
      for (const [of, events] of lives.entries()) {
        const before = events.slice(0, n + 1);
        const types = before.map(({ type }) => type).join(', ');
        const record = read.get(ids[of] ?? '');
        expect(plain(record), types).to.deep.equal(plain(recordFromEvents(before)));
      }
    }
  });
});
