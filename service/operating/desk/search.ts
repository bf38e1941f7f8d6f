/** Finds what an id, a tracking number, a reference or an address stands for. */

import { createPolicyChanges } from '../../../commands/guards/change-book.ts';
import { letterOfApproval } from '../../../commands/letters/approval.ts';
import { commitmentAggregate, commitmentIdOf } from '../../../commands/negotiation/commitment.ts';
import { orderAggregate } from '../../../commands/payments/order.ts';
import { accountOfChange } from '../../../commands/policies/policy-change.ts';
import { isAnyRevoked } from '../../../commands/ucans/was-revoked.ts';
import { Refused } from '../../../contract/operator-refused.ts';
import { isUuid } from '../../../ground/uuid.ts';
import { exportOwner } from '../../../infra/exports/export-store.ts';
import { offeredTo } from '../../../infra/postgres/offers.ts';
import { quotedTo } from '../../../infra/postgres/quotes.ts';
import { auditWebhookOwner } from '../../../infra/webhooks/audit-deliveries.ts';
import type { Found } from '../../../pages/console/operator/desk.ts';
import { eventIdOf } from '../../../presenters/account.ts';
import { keysAlive } from '../../../projections/accounts/query.ts';
import { contractById } from '../../../projections/contracts/query.ts';
import { logoOwner } from '../../../projections/logos/query.ts';
import { mailsById } from '../../../projections/mails/query.ts';
import { notificationOwner } from '../../../projections/notifications/query.ts';
import { paymentById } from '../../../projections/payments/query.ts';
import { topUpById } from '../../../projections/top-ups/query.ts';
import { ucanOwner } from '../../../projections/ucans/query.ts';
import type { Foundation } from '../../foundation/wing.ts';
import { findAccounts } from '../find-account.ts';
import { findLetters } from '../find-letters.ts';

const mostFound = 50;
/** Longer than every id, reference and address. */
const longestText = 500;

const letterFound = (letterId: string, note?: string): Found => ({
  kind: 'letter',
  id: letterId,
  page: `/letters/${letterId}`,
  direct: note === undefined,
  ...(note === undefined ? {} : { note }),
});

const accountFound = (accountId: string, note?: string): Found => ({
  kind: 'account',
  id: accountId,
  page: `/accounts/${accountId}`,
  direct: note === undefined,
  ...(note === undefined ? {} : { note }),
});

/** Of what was not found, nothing. */
const orNothing = async <T>(looked: Promise<T[]>): Promise<T[]> => {
  try {
    return await looked;
  } catch (error) {
    if (error instanceof Refused) return [];
    throw error;
  }
};

type Look = (foundation: Foundation, text: string) => Promise<Found[]>;

const order: Look = async ({ commands }, id) => {
  const { state } = await commands.handler.load(orderAggregate, id);
  if (state.status === 'none') return [];
  const { letterId } = state.placed;
  const note = `order, ${state.status.replaceAll('_', ' ')}`;
  return [{ ...letterFound(letterId, note), kind: 'order', id }];
};

const topUp: Look = async ({ storage }, id) => {
  const row = await topUpById(storage.readDb, id);
  if (!row) return [];
  const note = `${row.method}, ${row.status}`;
  return [{ ...accountFound(row.account_id, note), kind: 'top-up', id }];
};

const payment: Look = async ({ storage }, id) => {
  const row = await paymentById(storage.readDb, id);
  if (!row) return [];
  return [{ ...accountFound(row.account_id, row.status), kind: 'payment', id }];
};

const contract: Look = async ({ storage }, id) => {
  const found = await contractById(storage.readDb, id);
  if (!found) return [];
  return [{ ...accountFound(found.accountId, found.state), kind: 'contract', id }];
};

const mail: Look = async ({ storage }, id) => {
  const [row] = await mailsById(storage.readDb, [id]);
  return row ? [{ kind: 'mail', id, page: `/mails/${id}`, direct: true }] : [];
};

/** An event that an account was notified of; its id is the `webhook-id` of audit deliveries. */
const delivery =
  (id: string): Look =>
  async ({ storage }, eventId) => {
    const row = await notificationOwner(storage.readDb, eventId);
    if (!row) return [];
    const about = row.letter_id
      ? letterFound(row.letter_id, row.type)
      : accountFound(row.account_id, row.type);
    return [{ ...about, kind: 'delivery', id }];
  };

const letters: Look = async (foundation, text) => {
  const found = await orNothing(findLetters(foundation, text));
  const { length } = found;
  return found
    .slice(0, mostFound)
    .map(({ letterId, status }) => letterFound(letterId, length > 1 ? status : undefined));
};

const accounts: Look = async (foundation, text) => {
  const found = await orNothing(findAccounts(foundation, text));
  return found
    .slice(0, mostFound)
    .map(({ accountId, test }) =>
      accountFound(accountId, found.length > 1 ? (test ? 'test' : 'live') : undefined),
    );
};

const key: Look = async ({ storage }, id) => {
  const [row] = await keysAlive(storage.readDb, [id]);
  return row ? [{ ...accountFound(row.accountId, 'of this account'), kind: 'key', id }] : [];
};

const policyChange = async (
  { commands: { handler } }: Foundation,
  accountId: string,
  id: string,
): Promise<Found[]> => {
  const changes = await createPolicyChanges({ handler, isAnyRevoked }).list(accountId);
  const found = changes.find(({ change }) => change.approvalId === id);
  if (!found) return [];
  const note = `change of a policy, ${found.status}`;
  return [{ ...accountFound(accountId, note), kind: 'approval', id }];
};

/** A letter that waits, or the account that a change of a policy waits in. */
const approval: Look = async (foundation, id) => {
  const accountId = accountOfChange(id);
  if (accountId !== undefined) return policyChange(foundation, accountId, id);
  const letterId = letterOfApproval(id);
  const record = letterId && (await foundation.shared.letterReader.readLetter(letterId));
  return record ? [{ ...letterFound(letterId, 'of this letter'), kind: 'approval', id }] : [];
};

const ucan: Look = async ({ storage }, cid) => {
  const row = await ucanOwner(storage.readDb, cid);
  if (!row) return [];
  return [
    {
      ...accountFound(row.account_id, row.revoked ? 'revoked' : 'of this account'),
      kind: 'ucan',
      id: cid,
    },
  ];
};

const offerOf = (id: string, accountId: string, note: string): Found[] => [
  { ...accountFound(accountId, note), kind: 'offer', id },
];

/** An offer that was accepted, by its own id or by the id of the agreement. */
const accepted =
  (commitmentId: string): Look =>
  async ({ commands }, id) => {
    const { state } = await commands.handler.load(commitmentAggregate, commitmentId);
    return state.status === 'none' ? [] : offerOf(id, state.agreed.accountId, 'accepted');
  };

const offer: Look = async (foundation, id) => {
  const found = await accepted(commitmentIdOf(id))(foundation, id);
  if (found.length > 0) return found;
  const accountId = await offeredTo(foundation.storage.readDb, id);
  return accountId === undefined ? [] : offerOf(id, accountId, 'not accepted');
};

const quote: Look = async ({ storage, clock }, id) => {
  const held = await quotedTo(storage.readDb, id);
  if (!held) return [];
  const note = Date.parse(held.expiresAt) > clock() ? 'valid' : 'expired';
  return [{ ...accountFound(held.accountId, note), kind: 'quote', id }];
};

const logo: Look = async ({ storage }, id) => {
  const row = await logoOwner(storage.readDb, id);
  if (!row) return [];
  return [
    {
      ...accountFound(row.account_id, row.deleted ? 'deleted' : 'of this account'),
      kind: 'logo',
      id,
    },
  ];
};

const auditWebhook: Look = async ({ storage }, id) => {
  const row = await auditWebhookOwner(storage.readDb, id);
  if (!row) return [];
  const note = row.active ? 'on' : 'off';
  return [{ ...accountFound(row.account_id, note), kind: 'audit-webhook', id }];
};

const exported: Look = async ({ storage }, id) => {
  const row = await exportOwner(storage.readDb, id);
  return row ? [{ ...accountFound(row.accountId, row.state), kind: 'export', id }] : [];
};

/** A movement of money, by the credential of its event. */
const transaction: Look = async ({ storage }, id) => {
  const eventId = eventIdOf(id.replace('txn_', 'ntf_'));
  if (eventId === undefined) return [];
  const [credential] = await storage.credentials.byEventIds([eventId]);
  if (!credential?.stream.startsWith('wallet-')) return [];
  return [{ ...accountFound(credential.accountId, 'of this account'), kind: 'transaction', id }];
};

const cidPattern = /^b[a-z2-7]{58}$/;

/** Which looks a text is worth, by its form. */
const looksFor = (text: string): Look[] => {
  const eventId = eventIdOf(text);
  if (eventId !== undefined) return [(foundation) => delivery(text)(foundation, eventId)];
  if (text.startsWith('key_')) return [key];
  if (text.startsWith('apr_') || text.startsWith('apc_')) return [approval];
  if (text.startsWith('contract_')) return [contract];
  if (text.startsWith('txn_')) return [transaction];
  if (text.startsWith('offer_')) return [offer];
  if (text.startsWith('commitment_')) return [accepted(text)];
  if (text.startsWith('quote_')) return [quote];
  if (text.startsWith('logo_')) return [logo];
  if (text.startsWith('aud_')) return [auditWebhook];
  if (cidPattern.test(text)) return [ucan];
  if (text.startsWith('acct_')) return [accounts];
  if (isUuid(text)) return [letters, order, topUp, payment, mail, exported, delivery(text)];
  return [letters, accounts];
};

/** Finds ids and states only. Other data of an account is on pages that record the look into it. */
export const search = async (foundation: Foundation, wanted: string): Promise<Found[]> => {
  // PostgreSQL stores no control characters of this kind, so that nothing is found by them.
  if (wanted.length > longestText || wanted.includes('\0')) return [];
  const text = isUuid(wanted.toLowerCase()) ? wanted.toLowerCase() : wanted;
  const found = await Promise.all(looksFor(text).map((look) => look(foundation, text)));
  const all = found.flat();
  // The account of a letter is found by its reference, too: the letters say more.
  return all.some(({ kind }) => kind === 'letter')
    ? all.filter(({ kind }) => kind !== 'account')
    : all;
};
