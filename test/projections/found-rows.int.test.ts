/** Queries for a few rows read few others, however many an account or the service has. */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import type { Db } from '../../ground/db.ts';
import {
  countsOf,
  lettersLeft,
  streamsBehind,
  subjectsLeft,
} from '../../infra/accounts/account-data.ts';
import { activeKeys } from '../../projections/accounts/query.ts';
import { approvals } from '../../projections/approvals/project.ts';
import {
  approvalsBefore,
  approvalsDue,
  approvalsOf,
  approvalsOfOwnLetter,
} from '../../projections/approvals/query.ts';
import { auditLinkRows } from '../../projections/audit-links/project.ts';
import { openAuditLinks } from '../../projections/audit-links/query.ts';
import { commitmentRows } from '../../projections/commitments/project.ts';
import { commitmentsMadeBy } from '../../projections/commitments/query.ts';
import { contracts } from '../../projections/contracts/project.ts';
import {
  accountsByReference,
  lettersNamed,
  listLetters,
  printedLettersSince,
  sentLetters,
} from '../../projections/letters/query.ts';
import { storedDoc } from '../../projections/letters/stored-doc.ts';
import { mails } from '../../projections/mails/project.ts';
import { mailsOfAccount, mailsThatWait } from '../../projections/mails/query.ts';
import { orders } from '../../projections/orders/project.ts';
import { ordersOf } from '../../projections/orders/query.ts';
import { payments } from '../../projections/payments/project.ts';
import {
  openPayments,
  otherNetworksThatWait,
  paymentsThatWait,
  settledPayments,
} from '../../projections/payments/query.ts';
import { ensureReadModels } from '../../projections/rebuild.ts';
import { topUps } from '../../projections/top-ups/project.ts';
import { overdueTopUps, topUpsOf, waitedForTopUps } from '../../projections/top-ups/query.ts';
import { ucanRows } from '../../projections/ucans/project.ts';
import { liveUcans } from '../../projections/ucans/query.ts';
import { explaining, type Plan, rowsRead } from '../support/explain.ts';
import { sampleTerms } from '../support/letter-samples.ts';
import { openWorld, type World } from '../support/projection-world.ts';
import { projections } from '../support/some-projections.ts';

const many = 20_000;

/** Most letters are erased already. Letter 15 was deleted, and its key is not erased yet. */
const insertKeys = `
  insert into keys.data_keys (subject, wrapped, wrapped_by)
  select 'letter-' || md5(n::text)::uuid, case when n < 1200 and n % 4 = 3 then 'w' end, 1
  from generate_series(0, ${many - 1}) n`;

/** One account has half of the letters, and cancelled all but the first 10. The other accounts have 100 letters each. */
const insertLetters = `
  insert into read_models.letters_g1 (letter_id, account_id, test, status, service, country, created_position,
    created_at, updated_at, reference_hash, tracking_number, deleted_at, version, doc)
  select md5(n::text)::uuid, case n % 2 when 0 then 'acct_big' else 'acct_' || n / 2 % ${many / 200} end, false,
    case when n % 2 = 0 and n >= 20 then 'cancelled' when n % 3 = 0 then 'queued' else 'posted' end,
    'de_standardbrief', 'DE', n, timestamptz '2026-01-01Z' + n * interval '1 minute', now(),
    case when n % 2 = 0 or n < 20 then 'common' else 'rare' || n end,
    case when n % 9999 = 1 then 'NUMBER' end, case when n in (15, 9996, 9998) then now() end, 0, $1
  from generate_series(0, ${many - 1}) n`;

/** Each letter has one. Letters 9,996 and 9,998 have hidden ones, as if they were deleted. */
const insertNotifications = `
  insert into read_models.notifications_g1 (event_id, account_id, position, letter_id, type, status,
    created_at, hidden)
  select letter_id, account_id, created_position, letter_id, 'letter.queued', 'queued', created_at,
    created_position in (9996, 9998)
  from read_models.letters`;

const insertApprovals = `
  insert into read_models.approvals_g1 (approval_id, account_id, letter_id, status, requested_at,
    requested_position, expires_at, doc)
  select 'apr_' || n, 'acct_big', md5(n::text)::uuid,
    case when n in (5, 90) then 'pending' when n % 2 = 0 then 'approved' else 'rejected' end,
    timestamptz '2026-01-01Z' + n * interval '10 minutes', n, '2027-01-01Z',
    case n when 90 then '{"price": {"discount": {"contractId": "contract_0"}}}' else '{}' end
  from generate_series(0, ${many - 1}) n`;

/** All keys of the large account except three are expired or revoked. */
const insertApiKeys = `
  insert into read_models.api_keys_g1 (key_id, account_id, secret_hash, scope, test, prefix, event_id,
    created_at, created_position, changed_position, expires_at, revoked_at, unconfirmed)
  select 'key_' || n, case n % 2 when 0 then 'acct_big' else 'acct_' || n / 20 end, 'hash ' || n, 'full', false,
    'svc', md5(n::text)::uuid, now(), n, n,
    case when n in (10, 12) or n % 8 = 0 then null when n = 14 then timestamptz '2027-01-01Z'
      else '2026-01-01Z' end,
    case when n % 8 = 0 then now() end, false
  from generate_series(0, ${many - 1}) n`;

/** All of them are over. Each account has one. */
const insertContracts = `
  insert into read_models.contracts_g1 (contract_id, account_id, state, created_position, changed_position,
    version, doc, sealed_position)
  select 'contract_' || n, case n when 0 then 'acct_big' else 'acct_' || n end, 'fulfilled', n, n, 0, '{}', n
  from generate_series(0, ${many - 1}) n`;

const insertCommitments = `
  insert into read_models.commitments_g1 (commitment_id, account_id, tier, position, accepted_at, doc)
  select 'commitment_' || n, 'acct_big', 'economy', n, now(), json_build_object('commandId', 'command ' || n)
  from generate_series(0, ${many - 1}) n`;

/** Half are one account's; the others have 100 each. */
const insertPayments = `
  insert into read_models.payments_g1 (payment_id, account_id, status, network, amount_micro, claimed_at, settled_at)
  select md5(n::text)::uuid, case n % 2 when 0 then 'acct_big' else 'acct_' || n / 2 % ${many / 200} end,
    case n when 7 then 'claimed' else 'settled' end, case n when 7 then 'other' else 'usual' end, 1,
    timestamptz '2026-01-01Z' + n * interval '1 minute', timestamptz '2026-01-01Z' + n * interval '1 minute'
  from generate_series(0, ${many - 1}) n`;

const insertTopUps = `
  insert into read_models.top_ups_g1 (topup_id, account_id, method, status, external_id, amount_micro,
    requested_at, requested_position, expires_at, of_order)
  select payment_id, account_id, 'card', case status when 'claimed' then 'pending' else 'paid' end, payment_id, 1,
    claimed_at, row_number() over (order by claimed_at) - 1, claimed_at, extract(epoch from claimed_at)::int % 1200 <> 0
  from read_models.payments`;

/** All of one account. Two are not paid. */
const insertOrders = `
  insert into read_models.orders_g1 (order_id, account_id, status, placed_position)
  select md5(n::text)::uuid, 'acct_big',
    case when n in (5, 90) then 'awaiting_payment' when n % 2 = 0 then 'queued' else 'credited' end, n
  from generate_series(0, ${many - 1}) n`;

/** `md5(n::text)::uuid` in SQL. */
const idOf = (n: number): string =>
  createHash('md5')
    .update(String(n))
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

/** Of the payments and of the top-ups of the large account, in order. */
const paymentIds = Array.from({ length: many / 2 }, (_, n) => idOf(n * 2)).toSorted();

const insertMails = `
  insert into read_models.mails_g1 (mail_id, account_id, letter_id, kind, state, attempts)
  select md5(n::text)::uuid, 'acct_' || n / 100, null, 'shipped', case n when 7 then 'retrying' else 'sent' end,
    '[{"at": "2026-01-01T00:00:00.000Z", "state": "failed"}]'
  from generate_series(0, ${many - 1}) n`;

/**
 * Nearly all of one account are expired or revoked: UCAN 10 never expires, and 20 is live. Half of the other's never expire,
 * and the others are live and expire in any order.
 */
const insertUcans = `
  insert into read_models.ucans_g1 (cid, account_id, issued_at, issued_position, expires_at, revoked_at)
  select 'cid' || n, case n % 2 when 0 then 'acct_past' else 'acct_live' end, now(), n,
    case when n = 10 or n % 4 = 1 then null when n in (20, 30) or n % 4 = 3 or n % 8 = 0
      then timestamptz '2027-01-01Z' + n * 7919 % 1000 * interval '1 day'
      else timestamptz '2026-01-01Z' end,
    case when n = 30 or n % 8 = 0 then now() end
  from generate_series(0, ${many - 1}) n`;

/** The same, and every link expires. */
const insertAuditLinks = `
  insert into read_models.audit_links_g1 (id, account_id, letter_id, link_id, created_at, created_position,
    expires_at, bound_to, revoked_at)
  select cid, account_id, md5(cid)::uuid, cid, issued_at, issued_position,
    coalesce(expires_at, '2027-01-01Z'), '{"keys": []}', revoked_at
  from read_models.ucans`;

/** All links of one more account. The newest 1,300 are live. */
const insertBusyLinks = `
  insert into read_models.audit_links_g1 (id, account_id, letter_id, link_id, created_at, created_position,
    expires_at, bound_to)
  select 'busy' || n, 'acct_busy', md5(n::text)::uuid, 'busy' || n, now(), n,
    case when n >= ${many - 1_300} then timestamptz '2027-01-01Z' else timestamptz '2026-01-01Z' end, '{"keys": []}'
  from generate_series(0, ${many - 1}) n`;

const later = '2026-06-01T00:00:00.000Z';

const firstPage = { now: later, before: undefined, limit: 3 };

type Case = {
  what: string;
  table: string;
  /** The most rows that may be read. */
  most: number;
  answer: unknown;
  ask(db: Db): Promise<unknown>;
};

const cases: Case[] = [
  {
    what: 'letters that an account had printed',
    table: 'letters_g1',
    most: 100,
    answer: 66,
    ask: (db) => printedLettersSince(db, 'acct_7', '2025-12-01T00:00:00.000Z'),
  },
  {
    what: 'letters with a reference that most letters have, or with a tracking number',
    table: 'letters_g1',
    most: 100,
    // The tracking number has position 10,000. The reference has all even positions.
    answer: [19_999, 19_998, 19_996, 19_994],
    ask: async (db) =>
      (await lettersNamed(db, { referenceHash: 'common', trackingNumber: 'NUMBER' }, 4)).map(
        ({ createdPosition }) => Number(createdPosition),
      ),
  },
  {
    what: 'letters of an account that is erased',
    table: 'letters_g1',
    // It runs two statements.
    most: 210,
    answer: [6, 100],
    ask: async (db) => [
      (await lettersLeft(db, 'acct_7', 1_000)).length,
      (await countsOf(db, 'acct_7')).letters,
    ],
  },
  {
    what: 'the newest letters that an account sent',
    table: 'letters_g1',
    most: 30,
    answer: 5,
    ask: async (db) => (await sentLetters(db, 'acct_big', 5)).latest.length,
  },
  ...(
    [
      [9_999n, 'letters_g1'],
      [9_995n, 'letters_g1'],
      [9_995n, 'notifications_g1'],
    ] as const
  ).map(([position, table]) => ({
    what: `letters behind position ${position}, by a cursor of an earlier version, in ${table},`,
    table,
    most: 3,
    answer: [9_994, 9_992, 9_990],
    ask: async (db: Db) => {
      const before = { createdAt: undefined, position };
      const found = await listLetters(db, { accountId: 'acct_big', before, limit: 3 });
      return found.map(({ createdPosition }) => Number(createdPosition));
    },
  })),
  {
    what: 'keys of an account with many that are expired or revoked',
    table: 'api_keys_g1',
    most: 3,
    answer: ['key_14', 'key_12', 'key_10'],
    ask: async (db) => (await activeKeys(db, 'acct_big', later)).map((row) => row.key_id),
  },
  {
    what: 'streams of an account that is exported',
    table: 'payments_g1',
    most: 3,
    answer: paymentIds.slice(100, 103).map((id) => `payment-${id}`),
    ask: (db) => streamsBehind(db, 'acct_big', `payment-${paymentIds[99]}`, 3),
  },
  {
    what: 'streams of several kinds of an account that is exported',
    table: 'top_ups_g1',
    most: 3,
    answer: [`payment-${paymentIds.at(-1)}`, ...paymentIds.slice(0, 2).map((id) => `topup-${id}`)],
    ask: (db) => streamsBehind(db, 'acct_big', `payment-${paymentIds.at(-2)}`, 3),
  },
  {
    what: 'streams of an account without payments that is exported',
    table: 'top_ups_g1',
    most: 0,
    answer: ['logos-acct_none', 'volume-contract-acct_none'],
    ask: (db) => streamsBehind(db, 'acct_none', '', 3),
  },
  {
    what: 'accepted offers of an account that is exported',
    table: 'commitments_g1',
    most: 2,
    answer: ['commitment-commitment_18', 'commitment-commitment_180'],
    ask: (db) => streamsBehind(db, 'acct_big', 'commitment-commitment_17999', 2),
  },
  {
    what: 'UCANs of an account that is exported',
    table: 'ucans_g1',
    most: 2,
    answer: ['ucan-cid10', 'ucan-cid100', 'volume-contract-acct_past'],
    ask: (db) =>
      streamsBehind(db, 'acct_past', 'ucan-cid0', 2).then(async (first) => [
        ...first,
        ...(await streamsBehind(db, 'acct_past', 'ucan-cid9998', 2)),
      ]),
  },
  ...['payments_g1', 'top_ups_g1'].map((table) => ({
    what: `${table} of an account that is erased`,
    table,
    // Each top-up names two streams, and is counted.
    most: 300,
    answer: [[], 200],
    ask: async (db: Db) => [
      await subjectsLeft(db, 'acct_7', 1_000),
      (await countsOf(db, 'acct_7')).payments,
    ],
  })),
  {
    what: 'accounts that use a reference',
    table: 'letters_g1',
    most: 50,
    answer: ['acct_0', 'acct_1', 'acct_2', 'acct_3', 'acct_4', 'acct_5', 'acct_6', 'acct_7'].concat(
      ['acct_8', 'acct_9', 'acct_big'],
    ),
    ask: (db) => accountsByReference(db, 'common'),
  },
  {
    what: 'approvals that wait',
    table: 'approvals_g1',
    most: 10,
    answer: ['apr_90', 'apr_5'],
    ask: async (db) => {
      const asked = { status: 'pending', before: undefined, limit: 3 } as const;
      return (await approvalsOf(db, 'acct_big', asked)).map(({ approvalId }) => approvalId);
    },
  },
  {
    what: 'approvals of every status',
    table: 'approvals_g1',
    most: 30,
    answer: ['apr_91', 'apr_90', 'apr_89', 'apr_88'],
    ask: async (db) => {
      const asked = { status: undefined, before: 92n, limit: 4 };
      return (await approvalsOf(db, 'acct_big', asked)).map(({ approvalId }) => approvalId);
    },
  },
  {
    what: 'top-ups of every status, among many of orders,',
    table: 'top_ups_g1',
    most: 12,
    // One in ten of the large account is of no order.
    answer: [19_980, 19_960, 19_940],
    ask: async (db) =>
      (await topUpsOf(db, 'acct_big', { status: undefined, before: undefined, limit: 3 })).map(
        ({ requestedPosition }) => Number(requestedPosition),
      ),
  },
  ...(
    [
      ['orders that nobody has paid', 'awaiting_payment', 3, [90, 5]],
      ['orders of every status', undefined, 30, [91, 90, 89]],
    ] as const
  ).map(([what, status, most, answer]) => ({
    what,
    table: 'orders_g1',
    most,
    answer,
    ask: async (db: Db) =>
      (await ordersOf(db, 'acct_big', { status, before: 92n, limit: 3 })).map(
        ({ placedPosition }) => Number(placedPosition),
      ),
  })),
  {
    what: 'approvals of one letter',
    table: 'approvals_g1',
    // It runs two statements.
    most: 2,
    answer: [['apr_8'], []],
    ask: (db) => {
      const page = { status: undefined, before: undefined, limit: 3 };
      const of = async (account: string) =>
        (await approvalsOfOwnLetter(db, account, idOf(8), page)).map((one) => one.approvalId);
      return Promise.all([of('acct_big'), of('acct_1')]);
    },
  },
  {
    what: 'approvals of the hour before one',
    table: 'approvals_g1',
    most: 15,
    answer: 5,
    ask: (db) => approvalsBefore(db, 'acct_big', `apr_${many - 1}`),
  },
  ...['approvals_g1', 'contracts_g1'].map((table) => ({
    what: `approvals of a contract that is over, in ${table},`,
    table,
    // Both approvals that wait are of an account with such a contract.
    most: 3,
    answer: ['apr_90'],
    ask: async (db: Db) => (await approvalsDue(db, later, 10)).map(({ approvalId }) => approvalId),
  })),
  {
    what: 'what a command accepted',
    table: 'commitments_g1',
    most: 2,
    answer: ['commitment_7'],
    ask: (db) => commitmentsMadeBy(db, 'acct_big', 'command 7'),
  },
  {
    what: 'payments that are not over',
    table: 'payments_g1',
    most: 2,
    answer: 1,
    ask: async (db) => (await openPayments(db, later, undefined, 10)).length,
  },
  {
    what: 'payments that were settled lately',
    table: 'payments_g1',
    most: 5,
    answer: 5,
    ask: async (db) =>
      (await settledPayments(db, '2026-01-04T00:00:00.000Z', '2026-01-04T00:04:00.000Z')).length,
  },
  {
    what: 'top-ups that wait',
    table: 'top_ups_g1',
    most: 1,
    answer: 1,
    ask: async (db) => (await waitedForTopUps(db, 'card', undefined, 100)).length,
  },
  {
    what: 'top-ups whose time is over',
    table: 'top_ups_g1',
    most: 1,
    answer: 1,
    ask: async (db) => (await overdueTopUps(db, 'card', later, 100)).length,
  },
  {
    what: 'how many payments wait',
    table: 'payments_g1',
    most: 2,
    answer: 1,
    ask: paymentsThatWait,
  },
  {
    what: 'networks with payments that wait',
    table: 'payments_g1',
    most: 2,
    answer: ['other'],
    ask: (db) => otherNetworksThatWait(db, 'usual'),
  },
  {
    what: 'mails that wait',
    table: 'mails_g1',
    most: 2,
    answer: 1,
    ask: async (db) => (await mailsThatWait(db)).count,
  },
  {
    what: 'mails of an account',
    table: 'mails_g1',
    most: 100,
    answer: 20,
    ask: async (db) => (await mailsOfAccount(db, 'acct_7', 20)).length,
  },
  {
    what: 'UCANs of an account with many that are expired or revoked',
    table: 'ucans_g1',
    most: 2,
    answer: ['cid20', 'cid10'],
    ask: async (db) => (await liveUcans(db, 'acct_past', firstPage)).map(({ cid }) => cid),
  },
  {
    what: 'UCANs of an account with many that are live',
    table: 'ucans_g1',
    most: 510,
    answer: ['cid19999', 'cid19997', 'cid19995'],
    ask: async (db) => (await liveUcans(db, 'acct_live', firstPage)).map(({ cid }) => cid),
  },
  {
    what: 'UCANs of a later page of an account with many that are live',
    table: 'ucans_g1',
    most: 510,
    answer: ['cid999', 'cid997', 'cid995'],
    ask: async (db) => {
      const page = { ...firstPage, before: 1_000n };
      return (await liveUcans(db, 'acct_live', page)).map(({ cid }) => cid);
    },
  },
  {
    what: 'audit links of an account with many that are expired or revoked',
    table: 'audit_links_g1',
    most: 2,
    answer: ['cid20', 'cid10'],
    ask: async (db) =>
      (await openAuditLinks(db, 'acct_past', firstPage)).map(({ linkId }) => linkId),
  },
  {
    what: 'audit links of the last page of an account with many that are live, and more that are expired',
    table: 'audit_links_g1',
    // Some of the live ones, some of the newest twice, and then all live ones.
    most: 500 + 2 * 112 + 1_300 + 10,
    answer: ['busy18701', 'busy18700'],
    ask: async (db) => {
      const page = { ...firstPage, before: 18_702n };
      return (await openAuditLinks(db, 'acct_busy', page)).map(({ linkId }) => linkId);
    },
  },
  {
    what: 'audit links of an account with many that are live',
    table: 'audit_links_g1',
    most: 510,
    answer: ['cid999', 'cid997', 'cid995'],
    ask: async (db) => {
      const page = { ...firstPage, before: 1_000n };
      return (await openAuditLinks(db, 'acct_live', page)).map(({ linkId }) => linkId);
    },
  },
];

describe(`among ${many} rows`, () => {
  let world: World;
  let client: pg.Client;

  before(async function () {
    this.timeout(180_000);
    world = await openWorld();
    const more = [
      approvals,
      auditLinkRows,
      commitmentRows,
      contracts,
      orders,
      payments,
      mails,
      topUps,
      ucanRows,
    ];
    await ensureReadModels(world, [...projections, ...more]);
    client = new pg.Client({ connectionString: world.url });
    await client.connect();
    const doc = { terms: sampleTerms(), createdAt: '', updatedAt: '', timeline: [] };
    await client.query(insertLetters, [storedDoc(doc)]);
    await client.query(insertKeys);
    await client.query(insertNotifications);
    const inserts = [
      insertApiKeys,
      insertApprovals,
      insertContracts,
      insertCommitments,
      insertOrders,
      insertPayments,
      insertMails,
    ];
    for (const insert of [...inserts, insertTopUps, insertUcans, insertAuditLinks, insertBusyLinks])
      await client.query(insert);
    await client.query('analyze');
  });
  after(async () => {
    await client?.end();
    await world?.close();
  });

  for (const mode of ['force_generic_plan', 'force_custom_plan']) {
    for (const { what, table, most, answer, ask } of cases) {
      it(`${what} are found without reading others, ${mode}`, async () => {
        await client.query(`set plan_cache_mode = ${mode}`);
        const plans: Plan[] = [];
        expect(await ask(explaining(client, plans))).to.deep.equal(answer);
        expect(rowsRead(plans, table)).to.be.at.most(most);
      });
    }
  }
});
