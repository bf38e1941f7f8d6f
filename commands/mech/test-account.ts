/** The account that pays for letters of the mech in test mode: no key opens it, its money is not real. */
import { randomUUID } from 'node:crypto';
import type { AccountEvent } from '../../events/account.ts';
import { accountAggregate } from '../accounts/account.ts';
import type { AccountService } from '../accounts/account-service.ts';
import type { CommandHandler } from '../handling/handle.ts';

/** $500.00 a day. */
const dailyMicro = 500_000_000n;

/** Opens it where there is none, and fills it once a day. Safe to repeat. Returns its id. */
export const openMechTestAccount = async (
  { handler, accounts }: { handler: CommandHandler; accounts: AccountService },
  day: string,
): Promise<string> => {
  const accountId = accounts.accountIdOf('mech', 'mech', true);
  const context = (what: string) => ({ commandId: randomUUID(), actor: `mech:${what}` });
  const requestHash = accountId.padEnd(43, '0');
  const registered: AccountEvent = {
    type: 'AccountRegistered',
    data: { accountId, kind: 'agent', test: true, requestHash },
    personal: { name: 'mech' },
  };
  await handler.handle(accountAggregate, accountId, context('open'), ({ status }) =>
    status === 'none' ? [registered] : [],
  );
  await accounts.openWallet(accountId, true, context('open'));
  const credit = { bucket: 'fiat' as const, amountMicro: dailyMicro, reference: `mech ${day}` };
  await accounts.credit(accountId, credit, context('fill'));
  return accountId;
};
