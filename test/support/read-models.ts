import { expect } from 'chai';
import type { Db } from '../../ground/db.ts';
import { createPostgresEventStore } from '../../infra/event-store/postgres/index.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { rebuild } from '../../projections/rebuild.ts';
import { projections } from '../../service/wings/wings.ts';
import type { Audit } from './log-audit.ts';
import { eventually } from './service-process.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

const rowsOf = async (db: Db, table: string): Promise<string[]> => {
  const { rows } = await db.query<{ row: string }>(
    `select t::text as row from read_models.${table} t order by 1`,
  );
  return rows.map(({ row }) => row);
};

const assertAtHead = (db: Db): Promise<unknown> =>
  eventually('every projection is at the head of the log', async () => {
    const { rows } = await db.query<{ behind: bigint }>(
      `select count(*) as behind from read_models.checkpoints c
       join read_models.projections p using (name, generation), event_log.head h
       where c.position <> h.position`,
    );
    return rows[0]?.behind === 0n;
  });

/**
 * Waits until the read models are at the head of a log that rests, then rebuilds each: the rows that
 * were served must be those of the rebuild, byte for byte, and the balances those of the audit.
 */
export const assertReadModelsEqual = async (url: string, audit: Audit): Promise<void> => {
  const onError = (): void => undefined;
  const db = createReadDb({ url, max: 6, applicationName: 'test-audit', onError });
  const store = await createPostgresEventStore({ url, onError });
  try {
    await assertAtHead(db);
    for (const projection of projections) {
      const tables = projection.tables.map(({ name }) => name);
      const before = await Promise.all(tables.map((table) => rowsOf(db, table)));
      await rebuild({ store, db, log: silent }, [projection]);
      for (const [index, table] of tables.entries()) {
        const served = new Set(before[index]);
        const rebuilt = new Set(await rowsOf(db, table));
        const differ = [[...served.difference(rebuilt)], [...rebuilt.difference(served)]];
        expect(differ, `served and rebuilt ${table}`).to.deep.equal([[], []]);
      }
    }
    const { rows } = await db.query<{ account_id: string; available: bigint; held: bigint }>(
      `select account_id, crypto_micro + fiat_micro as available,
         held_crypto_micro + held_fiat_micro as held from read_models.wallets`,
    );
    expect(rows.length).to.equal(audit.wallets.size);
    for (const { account_id, available, held } of rows) {
      const wallet = audit.wallets.get(account_id);
      const open = [...(wallet?.held.values() ?? [])].filter(({ captured }) => !captured);
      expect(available, `balance of ${account_id}`).to.equal(wallet?.available);
      expect(held, `held of ${account_id}`).to.equal(
        open.reduce((sum, { amount }) => sum + amount, 0n),
      );
    }
  } finally {
    await store.close();
    await db.close();
  }
};
