import type { AccountService } from '../commands/accounts/account-service.ts';
import { uuidv5 } from '../ground/uuid.ts';
import type { Reactor } from './reactor.ts';

/** Gives every account its wallet, also when the request that registered it died before. */
export const createOpenWallets = (ports: { accounts: AccountService }): Reactor => ({
  name: 'open-wallets',
  react(event) {
    if (event.type !== 'AccountRegistered') return undefined;
    const { accountId, test } = event.data;
    const context = { commandId: uuidv5(event.id, 'open-wallet'), actor: 'reactor:open-wallets' };
    return async () => {
      await ports.accounts.openWallet(accountId, test, context);
    };
  },
});
