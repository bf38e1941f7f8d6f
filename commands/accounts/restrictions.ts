/** Restrictions of an account by its operator, and the remaining rights of its credentials. */
import { accountBlocked, accountNotFound } from '../../contract/refusals.ts';
import type { AccountEvent } from '../../events/account.ts';
import type { Account, Quotas } from './account.ts';

const assertThere = (state: Account): void => {
  if (state.status !== 'open') throw accountNotFound();
};

type BlockAccount = { type: 'BlockAccount'; reason: string };

/** @throws AppError account_not_found */
export const blockAccount = (state: Account, { reason }: BlockAccount): AccountEvent[] => {
  assertThere(state);
  const { accountId } = state;
  return state.blocked === undefined
    ? [{ type: 'AccountBlocked', data: { accountId }, personal: { reason } }]
    : [];
};

/** @throws AppError account_not_found */
export const unblockAccount = (state: Account): AccountEvent[] => {
  assertThere(state);
  const { accountId } = state;
  return state.blocked === undefined ? [] : [{ type: 'AccountUnblocked', data: { accountId } }];
};

/** @throws AppError account_blocked */
export const assertNotBlocked = ({ blocked }: Account): void => {
  if (blocked !== undefined) throw accountBlocked();
};

type InspectAccount = { type: 'InspectAccount'; inspector: string; rights: 'operator' | 'auditor' };

/**
 * Records that somebody looked into the account, also while it is being erased. Nothing personal is left of an erased
 * account, so looks into it are no events.
 * @throws AppError account_not_found
 */
export const inspectAccount = (
  { status, accountId, closure }: Account,
  { inspector, rights }: InspectAccount,
): AccountEvent[] => {
  if (status === 'none') throw accountNotFound();
  if (closure?.erasedAt !== undefined) return [];
  return [{ type: 'AccountInspected', data: { accountId, inspector, rights } }];
};

type SetQuotas = { type: 'SetQuotas'; quotas: Quotas };

/** @throws AppError account_not_found */
export const setQuotas = (state: Account, { quotas }: SetQuotas): AccountEvent[] => {
  assertThere(state);
  const names = new Set([...Object.keys(quotas), ...Object.keys(state.quotas)]) as Set<
    keyof Quotas
  >;
  const changed = [...names].some((name) => quotas[name] !== state.quotas[name]);
  return changed ? [{ type: 'QuotasSet', data: { accountId: state.accountId, ...quotas } }] : [];
};

/** The facts of a UCAN that was issued here. */
type IssuedUcan = { kind: 'root' | 'delegation'; boundTo?: { keys: string[] }; at: string };

/**
 * The state of a UCAN that the account issued, in addition to its own stream: `ended`, or good for reading only
 * (`unconfirmed`), because its key is older than the confirmation of the account's address. Of the key of a UCAN
 * from before version 2, only the time is known.
 */
export const standingOfIssued = (
  state: Account,
  { kind, boundTo, at }: IssuedUcan,
): 'valid' | 'ended' | 'unconfirmed' => {
  if (boundTo) {
    return boundTo.keys.some((id) => state.keys.get(id)?.unconfirmed) ? 'unconfirmed' : 'valid';
  }
  // A delegation stands with the tokens before it.
  if (kind === 'delegation') return 'valid';
  if (state.issuedEndedAt !== undefined && at <= state.issuedEndedAt) return 'ended';
  const before = state.confirmedAt !== undefined && at <= state.confirmedAt && !state.test;
  return before ? 'unconfirmed' : 'valid';
};
