import { createAccountService } from '../../commands/accounts/account-service.ts';
import type { createCommandHandler } from '../../commands/handling/handle.ts';
import { createPayerAccounts } from '../../commands/payments/payer-account.ts';
import type { Clock } from '../../ground/clock.ts';
import { defaultLimits } from '../../limits/table.ts';
import { digest } from './digest.ts';

/** The accounts of payers who sign their payments and have no key. */
export const payerAccounts = (handler: ReturnType<typeof createCommandHandler>, clock: Clock) => {
  const makeKey = (): never => {
    throw new Error('nobody asks for a key');
  };
  const ports = { handler, clock, makeKey, limits: defaultLimits, indexOf: digest };
  const accounts = createAccountService(ports);
  return createPayerAccounts({ handler, accounts, indexOf: digest });
};
