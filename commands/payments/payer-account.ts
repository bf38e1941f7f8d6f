/** The account of a paying wallet: no e-mail address and no key, only the wallet's name. */
import { AppError } from '../../contract/errors.ts';
import type { AccountEvent } from '../../events/account.ts';
import type { Account } from '../accounts/account.ts';
import { accountAggregate } from '../accounts/account.ts';
import type { AccountService } from '../accounts/account-service.ts';
import type { CommandContext } from '../handling/fold.ts';
import type { CommandHandler } from '../handling/handle.ts';

/** CAIP-10 as a DID: `did:pkh:eip155:8453:0x…`, in lower case as it is compared. */
export const payerDid = (network: string, payer: string): string =>
  `did:pkh:${network}:${payer.toLowerCase()}`;

type RegisterPayer = { accountId: string; did: string; requestHash: string };

/** Opens it once. */
const registerPayer = (
  state: Account,
  { accountId, did, requestHash }: RegisterPayer,
): AccountEvent[] =>
  state.status === 'none'
    ? [
        {
          type: 'AccountRegistered',
          data: { accountId, kind: 'wallet', test: false, requestHash },
          personal: { name: did },
        },
      ]
    : [];

export type PayerAccounts = ReturnType<typeof createPayerAccounts>;

export const createPayerAccounts = (ports: {
  handler: CommandHandler;
  accounts: Pick<AccountService, 'accountIdOf' | 'openWallet'>;
  indexOf: (kind: string, value: string) => string;
}) => {
  const { handler, accounts, indexOf } = ports;
  const nthIdOf = (did: string, erased: number): string =>
    accounts.accountIdOf('wallet', erased === 0 ? did : `${did}\n${erased}`, false);

  /** The account of a wallet, or where it would begin: accounts of the same wallet that were erased are passed over. */
  const accountOf = async (did: string): Promise<string> => {
    for (let erased = 0; ; erased += 1) {
      const accountId = nthIdOf(did, erased);
      const { state } = await handler.load(accountAggregate, accountId);
      if (state.status !== 'erased') return accountId;
    }
  };

  return {
    /** Stands for the wallet itself, whichever account it has. */
    idOf: (did: string): string => nthIdOf(did, 0),
    accountOf,

    /** The account with its wallet, opened when there is none. Safe to repeat. */
    async open(did: string, context: CommandContext): Promise<string> {
      const accountId = await accountOf(did);
      const requestHash = indexOf('request', `payer\n${did}`);
      await handler.handle(accountAggregate, accountId, context, (account) =>
        registerPayer(account, { accountId, did, requestHash }),
      );
      await accounts.openWallet(accountId, false, context);
      return accountId;
    },

    /** @throws AppError account_not_found */
    async didOf(accountId: string): Promise<string> {
      const { state } = await handler.load(accountAggregate, accountId);
      if (state.status === 'open' && state.kind === 'wallet') return state.name;
      throw new AppError('account_not_found', 'This account does not belong to a wallet.');
    },
  };
};
