/** Single letters that are read at once, whose keys are not in memory. */
import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import type { DataKeys } from '../../events/data-keys.ts';
import { letterStream } from '../../events/letter.ts';
import { seal } from '../../events/sealing.ts';
import { createDataKeys } from '../../infra/keys/data-keys.ts';
import { createLogger } from '../../infra/log.ts';
import { createLetterReader } from '../../infra/readers/letter-reader.ts';
import type { LetterRecord } from '../../projections/letters/query.ts';
import { createTestKeyring } from '../support/keyring.ts';
import { samplePersonal } from '../support/letter-samples.ts';
import { freshDatabase } from '../support/postgres.ts';

type Ports = Parameters<typeof createLetterReader>[0];

const letters = 50;

const sealedLetter = async (dataKeys: DataKeys): Promise<LetterRecord> => {
  const letterId = randomUUID();
  const sealedFor = randomUUID();
  const key = await dataKeys.create(letterStream(letterId));
  const sealed = seal(JSON.stringify(samplePersonal({ reference: letterId })), key, sealedFor);
  return { letterId, doc: { sealedFor, terms: {} }, sealed } as unknown as LetterRecord;
};

describe('letters that are read at once', function () {
  this.timeout(180_000);

  it('are opened by the keys of few queries, without those that were erased', async () => {
    const database = await freshDatabase();
    const pool = new pg.Pool({ connectionString: database.url });
    const root = randomBytes(32);
    const roots = { version: 1, list: [{ n: 1, state: 'active' as const, material: root }] };
    let queries = 0;
    const countingPool = {
      query(text: string, values: unknown[]) {
        queries++;
        return pool.query(text, values);
      },
    } as unknown as pg.Pool;
    const keysOn = (on: pg.Pool) =>
      createDataKeys({
        url: database.url,
        pool: on,
        keyring: createTestKeyring(root),
        loadRoots: async () => roots as never,
        log: createLogger({ level: 'silent' }),
      });
    const before = await keysOn(pool);
    const restarted = await keysOn(countingPool);
    try {
      await pool.query(
        `insert into keys.roots (n, state) values (1, 'active') on conflict do nothing`,
      );
      const records = await Promise.all(
        Array.from({ length: letters }, () => sealedLetter(before)),
      );
      const [erased, ...kept] = records.map(({ letterId }) => letterId);
      await before.erase(letterStream(erased ?? ''));
      const reader = createLetterReader({ dataKeys: restarted } as unknown as Ports);
      const opened = await Promise.all(records.map(reader.openWhole));
      expect(opened.map((personal) => personal?.reference)).to.deep.equal([undefined, ...kept]);
      expect(queries).to.be.at.most(2);
    } finally {
      await before.close();
      await restarted.close();
      await pool.end();
      await database.drop();
    }
  });
});
