import type { Caller } from '../contract/operation.ts';

/**
 * Callers in order of precedence. `service` is work of the service itself, such as production. `funded`: a live
 * account that was ever credited with real money. `confirmed`: a live account with a confirmed e-mail address.
 * `free`: test accounts, unconfirmed accounts, and callers without an account.
 */
export type Standing = 'service' | 'funded' | 'confirmed' | 'free';

/** The caller that a piece of work is done for. */
export type Turn = {
  standing: Standing;
  /** Absent: the service itself, or a caller without an account. */
  account?: string | undefined;
  /** The calling address, IPv6 as its /64 network. */
  address?: string | undefined;
  /** The address that registered the account, in the same form as `address`. */
  registeredFrom?: string | undefined;
};

/** A caller, as far as it is known. */
export type CallerRef = { account?: string | undefined; address?: string | undefined };

/** The caller of a request. An account that many callers share is not theirs. */
export const callerRefOf = (
  caller: Pick<Caller, 'accountId' | 'shared'> | undefined,
  address: string,
): CallerRef => ({ account: caller?.shared ? undefined : caller?.accountId, address });

export const serviceTurn: Turn = { standing: 'service' };

/** Free callers take turns by address, all others by account. */
export const partyOf = ({ standing, account, address }: Turn): string =>
  (standing === 'free' ? (address ?? account) : account) ?? '';

/**
 * The names that a budget is kept under. The addresses of a free caller count as well, so that the accounts that
 * one address makes or uses share one budget.
 */
export const payersOf = ({ standing, account, address, registeredFrom }: Turn): string[] => {
  if (standing === 'service') return [];
  const names = standing === 'free' ? [account, address, registeredFrom] : [account];
  return [...new Set(names.filter((name) => name !== undefined))];
};
