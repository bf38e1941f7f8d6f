import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { letterStatuses } from '../../contract/letter-status.ts';
import type { Db } from '../../ground/db.ts';
import { standingOf } from '../../infra/quotas/registrations.ts';
import { lastEntries, walletAccount } from '../../projections/ledger/query.ts';
import { ledgerEntryTable } from '../../projections/ledger/table.ts';
import { type LetterFilter, listLetters } from '../../projections/letters/query.ts';
import { letterTable, metadataTable } from '../../projections/letters/table.ts';
import { makerRows } from '../../projections/makers/project.ts';
import { letterMakerTable, makerKeyOf } from '../../projections/makers/table.ts';
import { listNotifications, notificationById } from '../../projections/notifications/query.ts';
import { notificationTable } from '../../projections/notifications/table.ts';
import { ensureReadModels } from '../../projections/rebuild.ts';
import { explaining, nodesOf, type Plan, rowsRead } from '../support/explain.ts';
import { sampleTerms } from '../support/letter-samples.ts';
import { openWorld, type World } from '../support/projection-world.ts';
import { projections } from '../support/some-projections.ts';

const rowCount = 20_000;
const countries = ['FR', 'DE', 'US', 'GB'];
const at = (n: number): string => new Date(Date.UTC(2026, 2, 1) + n * 1_000).toISOString();
/** Every second row is one account's, the others are those of a hundred. */
const accountOf = (n: number): string => (n % 2 === 0 ? 'acct_big' : `acct_${n % 200}`);
const rowsOf = (accountId: string): number => (accountId === 'acct_big' ? rowCount / 2 : 100);
const letterIds = Array.from({ length: rowCount }, () => randomUUID());
const eventIds = Array.from({ length: rowCount }, () => randomUUID());
/** Of the letters of an account some have it, wherever they lie. */
const digest = (n: number): string => `digest-${n % 7}`;
const statusOf = (n: number) =>
  letterStatuses[Math.floor(n / 3) % letterStatuses.length] ?? 'draft';

const letterRows = letterIds.map((letter_id, n) => ({
  letter_id,
  account_id: accountOf(n),
  test: false,
  status: statusOf(n),
  service: n % 3 === 0 ? 'fr_lettre_suivie' : 'de_brief',
  country: countries[n % 4] ?? 'FR',
  created_position: BigInt(n),
  created_at: at(n),
  updated_at: at(n),
  reference_hash: n % 5 === 0 ? digest(n) : null,
  metadata_hashes: n % 5 === 0 ? [digest(n), digest(n + 1)] : null,
  delivery_outcome: n % 11 === 0 ? ('returned' as const) : null,
  tracking_number: null,
  release_at: statusOf(n) === 'draft' ? null : at(n),
  over_at: null,
  deleted_at: null,
  version: 0n,
  hand_over: null,
  hand_over_at: null,
  doc: { terms: sampleTerms(), createdAt: at(n), updatedAt: at(n), timeline: [] },
  sealed_position: 0n,
  sealed: null,
}));

const metadataRows = letterRows.flatMap(({ metadata_hashes, ...row }) => {
  const { account_id, created_at, created_position, letter_id } = row;
  return (metadata_hashes ?? []).map((one) => ({
    account_id,
    digest: one,
    created_at,
    created_position,
    letter_id,
  }));
});

/** Every third letter of an account is of one key. */
const makerOf = (n: number): string => `key_${n % 3}`;

const madeRows = letterRows.map(({ account_id, created_at, created_position, letter_id }, n) => ({
  maker: makerKeyOf(account_id, makerOf(n)),
  created_at,
  created_position,
  letter_id,
}));

const notificationRows = eventIds.map((event_id, n) => ({
  position: BigInt(n),
  event_id,
  account_id: accountOf(n),
  letter_id: letterIds[n] ?? null,
  type: 'letter.queued',
  status: 'queued',
  created_at: at(n),
  hidden: n % 3 === 0,
}));

const entryRows = eventIds.map((event_id, n) => ({
  account: walletAccount(accountOf(n)),
  position: BigInt(n),
  crypto_micro: 0n,
  fiat_micro: -1n,
  wei: 0n,
  balance_micro: 0n,
  created_at: at(n),
  reached_at: at(n),
  event_id,
  // The last lines of each account are credits.
  ...(n >= rowCount - 400
    ? { type: 'FundsCredited', method: 'operator', receipt_id: `receipt ${n}` }
    : { type: 'FundsReserved', method: null, receipt_id: null }),
  purpose_kind: 'letter' as const,
  purpose_id: letterIds[n] ?? null,
  sealed: null,
}));

const placeOf = (n: number) => ({ createdAt: at(n), position: BigInt(n) });

/** Filters that callers may use on a list of letters. */
const filters: Record<string, Omit<LetterFilter, 'accountId' | 'limit'>> = {
  'no filter': {},
  'a status': { status: ['queued'] },
  'a status that none has': { status: ['unheard'] },
  'several statuses': { status: ['failed', 'cancelled', 'queued'] },
  'a country': { country: 'DE' },
  'a country that none has': { country: 'CA' },
  'a service': { service: 'de_brief' },
  'a delivery outcome': { deliveryOutcome: 'returned' },
  'a delivery outcome that none has': { deliveryOutcome: 'lost' },
  'a reference': { referenceHash: digest(3) },
  metadata: { metadataHashes: [digest(3), digest(4)] },
  'metadata that none has': { metadataHashes: ['digest-none'] },
  'a key': { madeBy: makerOf(1) },
  'a key that made none': { madeBy: 'key_none' },
  'a key and a status': { madeBy: makerOf(1), status: ['queued'] },
  'an earliest time': { createdAfter: at(rowCount - 10) },
  'a latest time': { createdBefore: at(10) },
  'a deep page': { before: placeOf(200) },
  'a cursor of an earlier version': { before: { createdAt: undefined, position: 200n } },
  'everything at once': {
    status: ['queued', 'draft'],
    country: 'FR',
    service: 'de_brief',
    metadataHashes: [digest(1)],
    createdAfter: at(100),
    createdBefore: at(rowCount - 100),
    before: placeOf(rowCount - 100),
  },
};

/** Nobody looks at more rows than the account has, and those that are looked at are the account's. */
const expectOwnRowsOnly = (plans: Plan[], table: string, accountId: string): void => {
  const scans = plans.flatMap(nodesOf).filter((node) => node['Relation Name'] === table);
  expect(scans.length).to.be.above(0);
  for (const scan of scans) {
    const shown = JSON.stringify(scan);
    expect(scan['Node Type'], shown).to.match(/^(Index|Bitmap Heap)/);
    expect(scan['Index Cond'] ?? scan['Recheck Cond'], shown).to.match(
      /account_id = |letter_id = |event_id = /,
    );
    const seen = scan['Actual Rows'] + (scan['Rows Removed by Filter'] ?? 0);
    expect(seen * scan['Actual Loops'], shown).to.be.at.most(rowsOf(accountId));
  }
};

describe('lists of an account', () => {
  let world: World;
  let client: pg.Client;

  before(async () => {
    world = await openWorld();
    await ensureReadModels(world, [...projections, makerRows]);
    client = new pg.Client({ connectionString: world.url });
    await client.connect();
    for (const { table: of, kind, rows } of [
      ...letterTable.save(letterRows),
      ...metadataTable.save(metadataRows),
      ...letterMakerTable.save(madeRows),
      ...notificationTable.save(notificationRows),
      ...ledgerEntryTable.save(entryRows),
    ]) {
      const table = `read_models.${of.name}_g1`;
      // Nobody makes statistics behind the back of the tests.
      await client.query(`alter table ${table} set (autovacuum_enabled = false)`);
      const { text, values } = of.statementOf(kind, rows, table, world.store.sealedSql);
      await client.query(text, values);
    }
  });
  after(async () => {
    await client.end();
    await world.close();
  });

  const plansOf = async (work: (db: Db) => Promise<unknown>): Promise<Plan[]> => {
    const plans: Plan[] = [];
    await work(explaining(client, plans));
    return plans;
  };

  for (const known of ['without statistics', 'with statistics']) {
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      for (const accountId of ['acct_big', 'acct_7']) {
        describe(`${known}, ${mode}, ${accountId}`, () => {
          before(async () => {
            if (known === 'with statistics') await client.query('analyze');
            await client.query(`set plan_cache_mode = ${mode}`);
          });

          for (const [name, filter] of Object.entries(filters)) {
            it(`of letters by ${name} looks at no row of another account`, async () => {
              const asked = { accountId, limit: 101, ...filter };
              const plans = await plansOf((db) => listLetters(db, asked));
              expectOwnRowsOnly(plans, 'letters_g1', accountId);
            });
          }

          it('of notifications looks at no row of another account', async () => {
            const index = accountId === 'acct_big' ? 100 : 7;
            const letterId = letterIds[index] ?? '';
            const plans = await plansOf(async (db) => {
              await listNotifications(db, { accountId, limit: 101 });
              await listNotifications(db, { accountId, limit: 101, before: 200n });
              await listNotifications(db, { accountId, limit: 101, letterId });
              await listNotifications(db, { accountId, limit: 101, letterId, before: 200n });
              await notificationById(db, accountId, eventIds[index] ?? '');
            });
            expect(plans).to.have.length(5);
            expectOwnRowsOnly(plans, 'notifications_g1', accountId);
          });

          it('of letters by metadata reads the letters that it answers and no others', async () => {
            const asked = (metadataHashes: string[], limit: number) =>
              plansOf((db) => listLetters(db, { accountId, limit, metadataHashes }));
            expect(rowsRead(await asked(['digest-none'], 21), 'letters_g1')).to.equal(0);
            const answered = accountId === 'acct_big' ? 5 : 0;
            expect(rowsRead(await asked([digest(3)], 5), 'letters_g1')).to.equal(answered);
          });

          it('of letters by a key reads about as many rows as it answers', async () => {
            const asked = { accountId, limit: 5, madeBy: makerOf(1) };
            let found = 0;
            const plans = await plansOf(async (db) => {
              found = (await listLetters(db, asked)).length;
            });
            expect(found).to.equal(5);
            expect(rowsRead(plans, 'letter_makers_g1')).to.be.at.most(2 * found + 2);
          });

          it('of notifications reads as many rows as it answers', async () => {
            const before = BigInt(rowCount - 200);
            const plans = await plansOf(async (db) => {
              for (const limit of [21, 5]) {
                const found = await listNotifications(db, { accountId, limit });
                expect(found).to.have.length(limit);
              }
              const deep = await listNotifications(db, { accountId, limit: 5, before });
              expect(deep).to.have.length(5);
            });
            expect(rowsRead(plans, 'notifications_g1')).to.equal(21 + 5 + 5);
            expect(rowsRead(plans, 'letters_g1')).to.equal(0);
          });

          it('of the notifications of a letter reads these, and one by its id that one', async () => {
            const index = accountId === 'acct_big' ? 100 : 7;
            const plans = await plansOf(async (db) => {
              await listNotifications(db, { accountId, limit: 21, letterId: letterIds[index] });
              await notificationById(db, accountId, eventIds[index] ?? '');
            });
            expect(rowsRead(plans, 'notifications_g1')).to.equal(2);
          });

          it('of transactions reads as many rows as it answers', async () => {
            const plans = await plansOf(async (db) => {
              expect(await lastEntries(db, walletAccount(accountId), 10)).to.have.length(10);
            });
            expect(rowsRead(plans, 'ledger_entries_g1')).to.equal(10);
          });

          it('does not read the letters of its wallet to find out whether it has money', async () => {
            const plans = await plansOf(async (db) => {
              expect((await standingOf(db, accountId)).funded).to.equal(true);
            });
            expect(rowsRead(plans, 'ledger_entries_g1')).to.be.at.most(2);
          });
        });
      }
    }
  }
});
