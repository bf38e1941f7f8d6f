/** UCANs that other accounts passed on with credentials that they froze since. */
import { ucanSubject } from '../../contract/frozen.ts';
import { type Account, accountAggregate } from '../accounts/account.ts';
import { subjectsOf } from '../guards/credential-line.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { isFrozen } from '../policies/frozen.ts';
import { walletAggregate } from '../wallets/wallet.ts';
import { ucansBehind } from './ucans-behind.ts';

/**
 * The subject of a UCAN that credentials of an account come from, and that another account passed on with a credential
 * that is frozen there. The key of the other account is not named.
 * @param ids ids of keys, and `ucan:<cid>`
 */
export const frozenElsewhere = async (
  handler: Pick<CommandHandler, 'load'>,
  { accountId }: Account,
  ids: readonly string[],
): Promise<string | undefined> => {
  for await (const { cid, state } of ucansBehind(handler, ids)) {
    const { issued } = state;
    if (issued === undefined || issued.accountId === accountId) continue;
    const [account, wallet] = await Promise.all([
      handler.load(accountAggregate, issued.accountId),
      handler.load(walletAggregate, issued.accountId),
    ]);
    const subjects = subjectsOf(account.state, issued.boundTo?.keys ?? []);
    if (isFrozen(wallet.state.guards, subjects)) return ucanSubject(cid);
  }
  return undefined;
};
