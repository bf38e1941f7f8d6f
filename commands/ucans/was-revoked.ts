/** Whether a credential was revoked since it asked for something that happens later, such as an order that is paid. */
import { ucanSubjectPrefix } from '../../contract/frozen.ts';
import type { Account } from '../accounts/account.ts';
import { wasRevoked } from '../accounts/keys.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { ucanAggregate } from './ucan.ts';

/**
 * A rotated key continues as the one that replaced it. Requests that a credential made in time outlive its expiry.
 * @param ids ids of keys, and `ucan:<cid>`
 */
export const isAnyRevoked = async (
  handler: Pick<CommandHandler, 'load'>,
  account: Account,
  ids: readonly string[],
): Promise<boolean> => {
  if (ids.some((id) => wasRevoked(account, id))) return true;
  const cids = ids
    .filter((id) => id.startsWith(ucanSubjectPrefix))
    .map((id) => id.slice(ucanSubjectPrefix.length));
  const ucans = await Promise.all(cids.map((cid) => handler.load(ucanAggregate, cid)));
  return ucans.some(({ state }) => state.revoked !== undefined);
};
