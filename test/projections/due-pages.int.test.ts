/** Pages of what is due hold each row once, also where many are due at the same time. */
import { expect } from 'chai';
import { approvals } from '../../projections/approvals/project.ts';
import { type ApprovalDue, approvalsDue } from '../../projections/approvals/query.ts';
import { contracts } from '../../projections/contracts/project.ts';
import { type ContractDue, contractsDue } from '../../projections/contracts/query.ts';
import { letters } from '../../projections/letters/project.ts';
import { draftsOver, type LetterOver, lettersOver } from '../../projections/letters/query.ts';
import { storedDoc } from '../../projections/letters/stored-doc.ts';
import { ensureReadModels } from '../../projections/rebuild.ts';
import { topUps } from '../../projections/top-ups/project.ts';
import { overdueTopUps, type TopUpDue } from '../../projections/top-ups/query.ts';
import { sampleTerms } from '../support/letter-samples.ts';
import { openWorld, type World } from '../support/projection-world.ts';

const rows = 40;
const now = '2026-02-01T00:00:00.000Z';

/** Due at one of three times. */
const dueAt = `timestamptz '2026-01-01Z' + n % 3 * interval '1 day'`;

/** Every fifth is not due by its time, and every tenth not at all: its contract goes on. */
const insertApprovals = `
  insert into read_models.approvals_g1 (approval_id, account_id, letter_id, status, requested_at,
    requested_position, expires_at, doc)
  select 'apr_' || n, 'acct', md5(n::text)::uuid, 'pending', '2026-01-01Z', n,
    case n % 5 when 0 then '2027-01-01Z' else ${dueAt} end,
    json_build_object('price', json_build_object('discount', json_build_object('contractId', 'contract_' || n % 10)))
  from generate_series(0, ${rows - 1}) n`;

const insertContracts = `
  insert into read_models.contracts_g1 (contract_id, account_id, state, created_position, changed_position,
    version, doc, sealed_position, due_at)
  select 'contract_' || n, 'acct', case n when 0 then 'active' else 'breached' end, n, n, 0, '{}', n, ${dueAt}
  from generate_series(0, ${rows - 1}) n`;

const insertLetters = `
  insert into read_models.letters_g1 (letter_id, account_id, test, status, service, country, created_position,
    created_at, updated_at, over_at, version, doc)
  select md5(n::text)::uuid, 'acct', false, 'draft', 'de_standardbrief', 'DE', n, now(), now(), ${dueAt}, 0, $1
  from generate_series(0, ${rows - 1}) n`;

const insertTopUps = `
  insert into read_models.top_ups_g1 (topup_id, account_id, method, status, external_id, amount_micro,
    requested_at, requested_position, expires_at, of_order)
  select md5(n::text)::uuid, 'acct', 'usdc', 'pending', n, 1, now(), n, ${dueAt}, false
  from generate_series(0, ${rows - 1}) n`;

describe('pages of what is due', () => {
  let world: World;
  before(async () => {
    world = await openWorld();
    await ensureReadModels(world, [approvals, contracts, letters, topUps]);
    await world.db.query(insertApprovals);
    await world.db.query(insertContracts);
    await world.db.query(insertTopUps);
    const doc = { terms: sampleTerms(), createdAt: '', updatedAt: '', timeline: [] };
    await world.db.query(insertLetters, [storedDoc(doc)]);
  });
  after(async () => world?.close());

  /** The ids on all pages of `limit` rows. */
  const idsOf = async <Row>(
    limit: number,
    pageOf: (limit: number, after: Row | undefined) => Promise<Row[]>,
    id: (row: Row) => string,
  ): Promise<string[]> => {
    const ids: string[] = [];
    for (let after: Row | undefined; ; ) {
      const page = await pageOf(limit, after);
      ids.push(...page.map(id));
      after = page.at(-1);
      if (page.length < limit) return ids;
    }
  };

  const allOnce = async <Row>(
    count: number,
    pageOf: (limit: number, after: Row | undefined) => Promise<Row[]>,
    id: (row: Row) => string,
  ): Promise<void> => {
    const wanted = await idsOf(1_000, pageOf, id);
    expect(wanted).to.have.length(count);
    expect(new Set(wanted).size).to.equal(count);
    for (const limit of [1, 2, 7, 13, rows])
      expect(await idsOf(limit, pageOf, id)).to.deep.equal(wanted);
  };

  it('hold each approval once', () =>
    allOnce<ApprovalDue>(
      rows - rows / 10,
      (...page) => approvalsDue(world.db, now, ...page),
      ({ approvalId }) => approvalId,
    ));

  it('hold each contract once', () =>
    allOnce<ContractDue>(
      rows,
      (...page) => contractsDue(world.db, now, ...page),
      ({ contractId }) => contractId,
    ));

  it('hold each top-up once', () =>
    allOnce<TopUpDue>(
      rows,
      (...page) => overdueTopUps(world.db, 'usdc', now, ...page),
      ({ topUpId }) => topUpId,
    ));

  it('hold each letter and each draft once', async () => {
    const idOf = ({ letterId }: LetterOver) => letterId;
    await allOnce<LetterOver>(rows, (...page) => lettersOver(world.db, now, ...page), idOf);
    const untouched = { since: undefined, until: now };
    await allOnce<LetterOver>(rows, (...page) => draftsOver(world.db, untouched, ...page), idOf);
  });
});
