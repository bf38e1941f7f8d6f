/** The wallet of an account: opened with it, and credited by an operator. */

import { AppError } from '../../contract/errors.ts';
import type { MicroUsd } from '../../money/amounts.ts';
import type { Bucket } from '../../money/buckets.ts';
import type { CommandContext } from '../handling/fold.ts';
import { creditFunds } from '../wallets/credits.ts';
import { openWallet, walletAggregate } from '../wallets/wallet.ts';
import { accountAggregate } from './account.ts';
import type { AccountPorts } from './account-ports.ts';

/** Id of the receipt of a credit by an operator: one for each reference. */
export const creditReceiptId = (
  indexOf: AccountPorts['indexOf'],
  accountId: string,
  reference: string,
): string => `operator-${indexOf('credit', `${accountId}\n${reference}`)}`;

/** Money that a test account begins with: $100.00. */
const testGrantMicro = 100_000_000n;

/** Opens the wallet, with money to play with for a test account. Safe to repeat. */
export const createOpenWallet =
  (ports: AccountPorts) =>
  async (accountId: string, test: boolean, context: CommandContext): Promise<bigint> => {
    const { position } = await ports.handler.handle(
      walletAggregate,
      accountId,
      context,
      (wallet) => [
        ...openWallet(wallet, { type: 'OpenWallet', accountId, test }),
        ...(test
          ? creditFunds(wallet, {
              type: 'CreditFunds',
              receipt: { method: 'test_grant', id: 'test-grant' },
              bucket: 'fiat',
              amountMicro: testGrantMicro,
            })
          : []),
      ],
    );
    return position;
  };

export type OpenWallet = ReturnType<typeof createOpenWallet>;

/** Money from outside, by an operator; once per reference. @throws AppError account_not_found */
export const createCredit = (ports: AccountPorts) => {
  const { handler, indexOf } = ports;

  return async (
    accountId: string,
    credit: { bucket: Bucket; amountMicro: MicroUsd; reference: string },
    context: CommandContext,
  ): Promise<{ credited: boolean; position: bigint }> => {
    const { state } = await handler.load(accountAggregate, accountId);
    if (state.status !== 'open')
      throw new AppError('account_not_found', `There is no account ${accountId}.`);
    const id = creditReceiptId(indexOf, accountId, credit.reference);
    const receipt = { method: 'operator' as const, id };
    const outcome = await handler.handle(walletAggregate, accountId, context, (wallet) => [
      ...openWallet(wallet, { type: 'OpenWallet', accountId, test: state.test }),
      ...creditFunds(wallet, { type: 'CreditFunds', receipt, ...credit }),
    ]);
    return { credited: outcome.events.length > 0, position: outcome.position };
  };
};
