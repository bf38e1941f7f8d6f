import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import pg from 'pg';
import type { TimePlace } from '../../ground/cursor.ts';
import {
  countLetters,
  type LetterFilter,
  lettersByStatus,
  lettersInProduction,
  listLetters,
  oldestLetters,
  placeInList,
  printBacklog,
  sentLetters,
} from '../../projections/letters/query.ts';
import { storedDoc } from '../../projections/letters/stored-doc.ts';
import { ensureReadModels } from '../../projections/rebuild.ts';
import { explaining, nodesOf, type Plan, pagesRead, rowsRead } from '../support/explain.ts';
import { sampleTerms } from '../support/letter-samples.ts';
import { openWorld, type World } from '../support/projection-world.ts';
import { projections } from '../support/some-projections.ts';

const letters = 100_000;
const limit = 21;
/** Of letters that may still be printed. No row here has a sealed part. */
const wayIndex = 'letters_g1_index_7';

/** A fifth of all letters are one account's, the others those of a thousand. */
const insertLetters = `
  insert into read_models.letters_g1 (letter_id, account_id, test, status, service, country, created_position,
    created_at, updated_at, reference_hash, metadata_hashes, delivery_outcome, version, doc)
  select md5(n::text)::uuid, case n % 5 when 0 then 'acct_big' else 'acct_' || n % 1000 end, false, status,
    (array['de_standardbrief', 'de_einschreiben', 'fr_lettre_suivie', 'us_first_class'])[1 + place],
    (array['DE', 'DE', 'FR', 'US'])[1 + place], n, at, at, 'reference-' || n / 5 % 50,
    ' digest-' || n / 5 % 20 || ' digest-' || n / 5 % 21 || 'x digest-all ',
    case when status = 'delivered' then 'delivered' when status = 'posted' and n / 5 % 17 = 0 then 'returned' end,
    0, $1
  from (
    select n, n / 5 * 7 / 4 % 4 as place,
      case when n % 20000 = 5 then 'draft' else
        (array['queued', 'posted', 'delivered', 'delivered', 'delivered', 'cancelled', 'failed'])[1 + n / 5 % 7]
      end as status,
      -- Four of the same millisecond, and every tenth by a clock that is two seconds slow.
      timestamptz '2026-01-01 00:00:00Z' + (n / 4 - (n % 10 = 0)::int * 2) * interval '1 second' as at
    from generate_series(0, ${letters - 1}) n) made`;

const insertMetadata = `
  insert into read_models.letter_metadata_g1 (account_id, digest, created_at, created_position, letter_id)
  select account_id, digest, created_at, created_position, letter_id
  from read_models.letters_g1, string_to_table(trim(metadata_hashes), ' ') digest`;

const atOf = (n: number): string => new Date(Date.UTC(2026, 0, 1) + n * 250).toISOString();

/** Each filter of the operation, as somebody may use it. */
const parts: Record<string, Partial<LetterFilter>> = {
  status: { status: ['posted', 'failed'] },
  outcome: { deliveryOutcome: 'returned' },
  country: { country: 'DE' },
  service: { service: 'de_standardbrief' },
  reference: { referenceHash: 'reference-7' },
  metadata: { metadataHashes: ['digest-7', 'digest-14x'] },
  after: { createdAfter: atOf(letters * 0.2) },
  before: { createdBefore: atOf(letters * 0.8) },
};

/** Every combination of some, the empty one first. */
const combinations = (names: string[]): string[][] =>
  Array.from({ length: 2 ** names.length }, (_, bits) =>
    names.filter((_name, n) => bits & (2 ** n)),
  );

const all = combinations(Object.keys(parts));
const fewOrAll = all.filter(({ length }) => length < 2 || length === Object.keys(parts).length);

type Kept = {
  letter_id: string;
  status: string;
  country: string;
  service: string;
  delivery_outcome: string | null;
  reference_hash: string;
  metadata_hashes: string;
  created_at: Date;
};

type Asked = { [K in keyof LetterFilter]?: LetterFilter[K] | undefined };

/** The conditions of a filter as anybody would write them. */
const fits = (filter: Asked) => {
  const after = filter.createdAfter ? Date.parse(filter.createdAfter) : -Infinity;
  const before = filter.createdBefore ? Date.parse(filter.createdBefore) : Infinity;
  const isWanted = <T>(wanted: T | undefined, value: T | null): boolean =>
    wanted === undefined || wanted === value;
  return (row: Kept): boolean =>
    (!filter.status || filter.status.some((status) => status === row.status)) &&
    isWanted(filter.country, row.country) &&
    isWanted(filter.service, row.service) &&
    isWanted(filter.deliveryOutcome, row.delivery_outcome) &&
    isWanted(filter.referenceHash, row.reference_hash) &&
    (filter.metadataHashes ?? []).every((hash) => row.metadata_hashes.includes(` ${hash} `)) &&
    row.created_at.getTime() >= after &&
    row.created_at.getTime() < before;
};

/** The groups of equal letters. */
const groupsIn = (rows: Kept[]): number =>
  new Set(rows.map((row) => [row.status, row.country, row.service, row.delivery_outcome].join(' ')))
    .size;

describe('a list of letters among 100,000', () => {
  let world: World;
  let client: pg.Client;
  let kept: Map<string, Kept[]>;

  before(async function () {
    this.timeout(180_000);
    world = await openWorld();
    await ensureReadModels(world, projections);
    client = new pg.Client({ connectionString: world.url });
    await client.connect();
    const doc = { terms: sampleTerms(), createdAt: '', updatedAt: '', timeline: [] };
    await client.query(insertLetters, [storedDoc(doc)]);
    await client.query(insertMetadata);
    await client.query('analyze read_models.letters_g1, read_models.letter_metadata_g1');
    const { rows } = await client.query<Kept & { account_id: string }>(
      `select account_id, letter_id, status, country, service, delivery_outcome, reference_hash, metadata_hashes,
         created_at
       from read_models.letters_g1 where account_id in ('acct_big', 'acct_7')
       order by created_at desc, created_position desc`,
    );
    kept = Map.groupBy(rows, (row) => row.account_id);
  });
  after(async () => {
    await client.end();
    await world.close();
  });

  /** The letters of an account that a filter names, the newest first, found by looking at every letter. */
  const fitting = (filter: Asked): Kept[] =>
    (kept.get(filter.accountId ?? '') ?? []).filter(fits(filter));

  const firstOf = (filter: Asked, count: number): string[] =>
    fitting(filter)
      .slice(0, count)
      .map(({ letter_id }) => letter_id);

  /** How many groups of equal letters the account has, of those that a filter names. */
  const groupsOf = ({ accountId, status, country, service, deliveryOutcome }: Asked): number =>
    groupsIn(fitting({ accountId, status, country, service, deliveryOutcome }));

  /** How many letters have what is read by an index of its own, when they were made included. */
  const tagged = ({ metadataHashes, referenceHash, ...filter }: LetterFilter): number => {
    const { accountId, createdAfter, createdBefore } = filter;
    const tag = metadataHashes ? { metadataHashes: metadataHashes.slice(0, 1) } : { referenceHash };
    return fitting({ accountId, createdAfter, createdBefore, ...tag }).length;
  };

  /** Reads pages until `pages` are read or none is left. */
  const read = async (filter: LetterFilter, pages: number) => {
    const plans: Plan[] = [];
    const ids: string[] = [];
    let before: TimePlace | undefined;
    for (let page = 0; page < pages; page++) {
      const asked = before ? { ...filter, before } : filter;
      const records = await listLetters(explaining(client, plans), asked);
      ids.push(...records.map(({ letterId }) => letterId));
      const last = records.at(-1);
      if (!last || records.length < limit) break;
      before = placeInList(last);
    }
    return { ids, plans };
  };

  for (const [accountId, mode, combined] of [
    ['acct_big', 'force_generic_plan', all],
    ['acct_big', 'force_custom_plan', fewOrAll],
    ['acct_7', 'force_generic_plan', fewOrAll],
    ['acct_7', 'force_custom_plan', fewOrAll],
  ] as const) {
    describe(`of ${accountId}, ${mode}`, () => {
      before(() => client.query(`set plan_cache_mode = ${mode}`));

      for (const names of combined) {
        it(`by ${names.join(', ') || 'nothing'} reads about what it returns`, async () => {
          const chosen = names.map((name) => parts[name]);
          const filter: LetterFilter = Object.assign({ accountId, limit }, ...chosen);
          const wanted = names.length > 2 ? 1 : 2;
          const { ids, plans } = await read(filter, wanted);
          expect(ids).to.deep.equal(firstOf(filter, wanted * limit));
          const rows = rowsRead(plans, 'letters_g1');
          const pages = plans.length;
          if (filter.referenceHash !== undefined || filter.metadataHashes !== undefined) {
            // A letter is looked at twice, and every 16 that do not fit cost a look into each group that does.
            const groups = groupsOf({ accountId }) + groupsOf(filter) * pages;
            const looks = 2 + groupsOf(filter) / 8;
            expect(rows).to.be.at.most(looks * tagged(filter) + groups + pages * limit);
            return;
          }
          const isGrouped = names.some((name) => name !== 'after' && name !== 'before');
          const groups = isGrouped ? groupsOf({ accountId }) : 0;
          const fittingGroups = isGrouped ? groupsOf(filter) : 0;
          expect(rows).to.be.below(ids.length + pages * (1 + groups + fittingGroups * limit));
          expect(pagesRead(plans)).to.be.at.most(20 * pages + 5 * (pages * groups + rows));
        });
      }
    });
  }

  for (const mode of ['force_generic_plan', 'force_custom_plan']) {
    it(`by what most letters have and what few have reads about what it returns, ${mode}`, async () => {
      await client.query(`set plan_cache_mode = ${mode}`);
      const common = { accountId: 'acct_big', limit, metadataHashes: ['digest-all'] };
      for (const [filter, returned, rowsMax] of [
        [{ ...common, status: ['draft'] }, 5, 250],
        [{ ...common, status: ['draft'], country: 'US' }, 0, 100],
        [{ ...common, metadataHashes: ['digest-all', 'digest-none'] }, 0, 0],
        [{ ...common, metadataHashes: ['digest-all', 'digest-7'] }, limit, limit],
        [{ ...common, referenceHash: 'reference-none' }, 0, 0],
        [{ ...common, referenceHash: 'reference-7' }, limit, 3 * limit],
      ] as const) {
        const { ids, plans } = await read(filter as LetterFilter, 1);
        const what = JSON.stringify(filter);
        expect(ids, what).to.deep.equal(firstOf(filter as Asked, limit));
        expect(ids, what).to.have.length(returned);
        // PostgreSQL rounds the rows of a loop.
        expect(rowsRead(plans, 'letters_g1'), what).to.be.below(rowsMax + 1);
        const looked = rowsRead(plans, 'letter_metadata_g1');
        expect(looked, what).to.be.at.most(rowsMax + 50 * limit);
      }
    });
  }

  it('is not looked into where letters are counted: an index is, or totals are', async () => {
    await client.query('set plan_cache_mode = auto');
    await client.query('vacuum analyze read_models.letters_g1');
    const plans: Plan[] = [];
    const db = explaining(client, plans);
    const ofLetters = () =>
      plans.flatMap(nodesOf).filter((node) => node['Relation Name'] === 'letters_g1');
    await lettersByStatus(db);
    expect(ofLetters()).to.deep.equal([]);
    await oldestLetters(db);
    await lettersInProduction(db, '2026-02-01T00:00:00.000Z');
    expect(ofLetters().map((node) => node['Index Name'])).to.deep.equal([wayIndex, wayIndex]);
    expect(rowsRead(plans, 'letters_g1')).to.equal(0);
    await printBacklog(db, '2026-02-01T00:00:00.000Z');
    await sentLetters(db, 'acct_big', 5);
    await countLetters(db, 'acct_big');
    const scans = ofLetters().map((node) => node['Node Type']);
    for (const scan of scans) expect(scan).to.match(/^(Index|Bitmap)/);
  });

  it('is read by the index of groups where drafts are counted', async () => {
    const file = new URL('../../infra/schema/09-draft-holds.sql', import.meta.url);
    const [, drafts = ''] =
      /(select 1 from read_models\.letters l\s+where l\.account_id.*?) limit p_quota/s.exec(
        readFileSync(file, 'utf8'),
      ) ?? [];
    const plans: Plan[] = [];
    await explaining(client, plans).query(drafts.replace('p_account', '$1'), ['acct_big']);
    expect(plans[0]?.['Node Type']).to.match(/^Index/);
    expect(plans[0]?.['Index Cond']).to.match(/account_id = .* AND .*status = /);
  });

  it('is not read where the letters of an account are counted: a few rows of totals are', async () => {
    await client.query(
      `insert into read_models.letter_counts_g1
       select account_id || '/' || status, count(*) from read_models.letters
       where deleted_at is null group by account_id, status`,
    );
    await client.query('analyze read_models.letter_counts_g1');
    const plans: Plan[] = [];
    const counts = await countLetters(explaining(client, plans), 'acct_big');
    expect(counts.byStatus.size).to.be.above(3);
    const scans = plans.flatMap(nodesOf).filter((node) => node['Relation Name']);
    expect(new Set(scans.map((node) => node['Relation Name']))).to.deep.equal(
      new Set(['letter_counts_g1']),
    );
    expect(rowsRead(plans, 'letter_counts_g1')).to.equal(counts.byStatus.size);
  });
});
