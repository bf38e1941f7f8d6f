/** Actions of operators on accounts, at the terminal and in the console. */
import { randomUUID } from 'node:crypto';
import {
  type Account,
  type ApiKey,
  accountAggregate,
  type Quotas,
} from '../../commands/accounts/account.ts';
import { activeKeys, endKeys } from '../../commands/accounts/keys.ts';
import { blockAccount, setQuotas, unblockAccount } from '../../commands/accounts/restrictions.ts';
import { createCredentialLines } from '../../commands/guards/credential-line.ts';
import { createFreezes } from '../../commands/guards/freezes.ts';
import { isAppError } from '../../contract/errors.ts';
import { accountSubject, ucanSubject } from '../../contract/frozen.ts';
import { Refused, UsageError } from '../../contract/operator-refused.ts';
import type { AccountEvent } from '../../events/account.ts';
import { toTimestamp } from '../../ground/clock.ts';
import type { Foundation } from '../foundation/wing.ts';

export const operatorContext = () => ({ commandId: randomUUID(), actor: 'operator' });

export const changeAccount = async (
  { commands }: Foundation,
  { accountId }: Pick<Account, 'accountId'>,
  decide: (account: Account) => AccountEvent[],
): Promise<AccountEvent[]> => {
  const { events } = await commands.handler.handle(
    accountAggregate,
    accountId,
    operatorContext(),
    decide,
  );
  return events;
};

/** @throws UsageError */
export const oneLine = (name: string, text: string | undefined): string => {
  const line = text?.trim() ?? '';
  if (line === '' || /\p{Cc}/u.test(line) || line.length > 200) {
    throw new UsageError(`${name} is missing or is not one line of at most 200 characters`);
  }
  return line;
};

type Named = Pick<Account, 'accountId'>;

/** Whether it was not blocked before. */
export const block = async (
  foundation: Foundation,
  account: Named,
  reason: string,
): Promise<boolean> => {
  const events = await changeAccount(foundation, account, (state) =>
    blockAccount(state, { type: 'BlockAccount', reason }),
  );
  return events.length > 0;
};

/** Whether it was blocked before. @param check gets the reason of the block, empty without one; throws if it may not end */
export const unblock = async (
  foundation: Foundation,
  account: Named,
  check: (reason: string) => void = () => {},
): Promise<boolean> => {
  const events = await changeAccount(foundation, account, (state) => {
    check(state.blocked ?? '');
    return unblockAccount(state);
  });
  return events.length > 0;
};

/** The names under which operators set quotas. */
export const quotaNames = {
  'live-letters': 'liveLettersPerDay',
  'test-letters': 'testLettersPerDay',
  drafts: 'draftsPerAccount',
  bytes: 'storedBytesPerAccount',
} as const satisfies Record<string, keyof Quotas>;

export type QuotaName = keyof typeof quotaNames;

/** A number, or `default` for the service's limit. @throws UsageError */
export const parseQuota = (name: string, text: string | undefined): number | undefined => {
  if (text === 'default') return undefined;
  if (/^\d{1,15}$/.test(text ?? '')) return Number(text);
  throw new UsageError(`${name} ${text} must be a whole number, or default`);
};

/** The quotas after a change of those that are named; undefined: the service's limit. */
const quotasAfter = (quotas: Quotas, wanted: NamedQuotas): Quotas => {
  const changed = { ...quotas };
  for (const [name, number] of Object.entries(wanted)) {
    const quota = quotaNames[name as QuotaName];
    if (number === undefined) delete changed[quota];
    else changed[quota] = number;
  }
  return changed;
};

type NamedQuotas = { [K in QuotaName]?: number | undefined };

/** Quotas by the names that operators use. Undefined: the service's limit. */
const named = (quotas: Quotas): NamedQuotas =>
  Object.fromEntries(Object.entries(quotaNames).map(([name, quota]) => [name, quotas[quota]]));

/**
 * Sets the named quotas. The others stay as they are at the time of the decision. Answers with all of them.
 * @param check gets the quotas before the change; throws if they may not be changed
 */
export const setNamedQuotas = async (
  { commands }: Foundation,
  { accountId }: Named,
  wanted: NamedQuotas,
  check: (quotas: NamedQuotas) => void = () => {},
): Promise<Quotas> => {
  const { state } = await commands.handler.handle(
    accountAggregate,
    accountId,
    operatorContext(),
    (account) => {
      check(named(account.quotas));
      return setQuotas(account, { type: 'SetQuotas', quotas: quotasAfter(account.quotas, wanted) });
    },
  );
  return state.quotas;
};

type FreezeSubject = { key?: string | undefined; ucan?: string | undefined };

/**
 * Freezes or unfreezes an account, a key or a UCAN. `changed`: it was not so before.
 * @param check gets the start of the freeze, empty if nothing is frozen; throws if that freeze may not end
 * @throws Refused for a key that the account does not have
 */
export const changeFreeze = async (
  { commands: { handler }, authority }: Foundation,
  change: 'freeze' | 'unfreeze',
  { accountId }: Named,
  { key, ucan }: FreezeSubject = {},
  check: (since: string) => void = () => {},
): Promise<{ what: string; changed: boolean }> => {
  const wanted = ucan === undefined ? accountSubject : ucanSubject(ucan);
  const lines = createCredentialLines({ handler });
  const ofKey = (keyId: string): Promise<string> =>
    lines.subjectOf(accountId, keyId).catch((error: unknown) => {
      if (!isAppError(error)) throw error;
      throw new Refused(`${accountId} has no key ${keyId}; the command account lists its keys`);
    });
  const subject = key === undefined ? wanted : await ofKey(key);
  const freezes = createFreezes({ handler, changed: authority.frozen.change });
  const maker = { subjects: [] };
  const context = operatorContext();
  const { position } = await (change === 'freeze'
    ? freezes.freeze(accountId, subject, maker, context)
    : freezes.unfreeze(accountId, subject, maker, context, check));
  return {
    what: subject === accountSubject ? accountId : `${subject} of ${accountId}`,
    changed: position !== 0n,
  };
};

/** Ends the keys that are meant; answers with their ids. */
export const revokeKeys = async (
  foundation: Foundation,
  account: Account,
  isMeant: (key: ApiKey) => boolean,
): Promise<string[]> => {
  const at = toTimestamp(foundation.clock());
  const events = await changeAccount(foundation, account, (state) =>
    endKeys(state, [...state.keys.values()].filter(isMeant), at),
  );
  return events.flatMap((event) => (event.type === 'KeyRevoked' ? [event.data.keyId] : []));
};

/** @throws Refused for a key that the account never had, or that has ended */
export const assertKey = (account: Account, keyId: string, at: string): void => {
  if (activeKeys(account, at).some((key) => key.keyId === keyId)) return;
  const { accountId } = account;
  throw new Refused(`${accountId} has no active key ${keyId}; account ${accountId} lists them`);
};
