/** Whether credentials were revoked, with the key of the service that signed them or by the recovery of their account. */
import { withoutFragment } from '../../identity/ucan/token.ts';
import { type Account, accountAggregate } from '../accounts/account.ts';
import { wasRevoked } from '../accounts/keys.ts';
import { standingOfIssued } from '../accounts/restrictions.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { serviceIdentityAggregate } from '../identity/service-identity.ts';
import type { UcanState } from './ucan.ts';
import { ucansBehind } from './ucans-behind.ts';

type Load = Pick<CommandHandler, 'load'>;

/**
 * Whether a UCAN was revoked itself, or the key of the service that signed it, or whether its account was recovered
 * since. The recovery ends later roots with the key that asked for them; version 1 did not tell that key.
 */
export const isWithdrawn = async (
  { issued, revoked }: UcanState,
  {
    handler,
    isRevokedRoot,
  }: {
    handler: Load;
    /** Whether a DID was the service's, and its key was revoked. */
    isRevokedRoot: (did: string) => boolean;
  },
): Promise<boolean> => {
  if (revoked !== undefined) return true;
  if (issued === undefined) return false;
  if (isRevokedRoot(withoutFragment(issued.issuer))) return true;
  if (issued.boundTo !== undefined || issued.kind !== 'root') return false;
  const { state } = await handler.load(accountAggregate, issued.accountId);
  return standingOfIssued(state, issued) === 'ended';
};

const revokedRoots = async (handler: Load): Promise<Set<string>> => {
  const { state } = await handler.load(serviceIdentityAggregate, '');
  const keys = state.status === 'none' ? [] : state.identity.keys;
  return new Set(
    keys.flatMap(({ purpose, state, publicKey }) =>
      purpose === 'ucan' && state === 'revoked' ? [`did:key:${publicKey}`] : [],
    ),
  );
};

/**
 * Whether a credential, or what it comes from, was revoked since it asked for something that happens later, such as an
 * order that is paid. A rotated key continues as the one that replaced it. Requests that a credential made in time
 * outlive its expiry.
 * @param ids ids of keys, and `ucan:<cid>`
 */
export const isAnyRevoked = async (
  handler: Load,
  account: Account,
  ids: readonly string[],
): Promise<boolean> => {
  const isKeyRevoked = (id: string): boolean => wasRevoked(account, id);
  if (ids.some(isKeyRevoked)) return true;
  let roots: Set<string> | undefined;
  for await (const { state } of ucansBehind(handler, ids)) {
    roots ??= await revokedRoots(handler);
    const revoked = roots;
    if (await isWithdrawn(state, { handler, isRevokedRoot: (did) => revoked.has(did) }))
      return true;
    const { accountId = account.accountId, boundTo } = state.issued ?? {};
    if (boundTo?.keys.some(isKeyRevoked)) return true;
    // Another account may have passed it on, with a key of its own.
    if (accountId !== account.accountId) {
      const { state: other } = await handler.load(accountAggregate, accountId);
      if (boundTo?.keys.some((id) => wasRevoked(other, id))) return true;
    }
  }
  return false;
};
