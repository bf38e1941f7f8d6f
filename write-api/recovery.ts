import Type from 'typebox';
import type { RecoveryTokens } from '../commands/accounts/recovery.ts';
import type { AccountService } from '../commands/accounts/register-account.ts';
import { AppError, isAppError } from '../contract/errors.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { presentRecovered, RegisteredAccount } from '../presenters/account.ts';

/** How lost keys are replaced. */
export type Recovery = {
  tokens: RecoveryTokens;
  /** Whether links can be sent at all. */
  mailConfigured: boolean;
  /** Sees to it that the account's address gets a link, unless it just got one. */
  sendLink: (accountId: string) => Promise<void>;
};

/**
 * Sends a recovery link to whoever registers an address that has an account already.
 * @throws AppError email_registered, or what `error` is
 */
export const withRecoveryLink = async (
  ports: { accounts: Pick<AccountService, 'accountIdOf'>; recovery: Recovery },
  account: { kind: 'email'; name: string; test: boolean },
  error: unknown,
): Promise<never> => {
  if (!isAppError(error) || error.code !== 'email_registered') throw error;
  const { accounts, recovery } = ports;
  await recovery.sendLink(accounts.accountIdOf(account.kind, account.name, account.test));
  if (!recovery.mailConfigured) throw error;
  throw new AppError(
    'email_registered',
    'This e-mail address has an account already; use its key, or the recovery link that is sent to the address (at most one in 15 minutes).',
  );
};

export type RecoveryPorts = { accounts: Pick<AccountService, 'recover'>; recovery: Recovery };

export const recoveryOperation = ({ accounts, recovery }: RecoveryPorts): AnyOperation =>
  operation({
    name: 'recover_account',
    method: 'POST',
    path: '/auth/recover',
    tag: 'Keys',
    summary: 'Get a new key with a recovery link',
    description:
      'Registering an address that has an account sends a link to it. Its token is good for one hour and one key; older keys stay valid.',
    access: 'public',
    idempotent: true,
    showsIn: ['accounts'],
    input: {
      body: Type.Object(
        { token: Type.String({ minLength: 1, maxLength: 200 }) },
        { additionalProperties: false, title: 'RecoverAccount' },
      ),
    },
    responses: { 201: { description: 'A new full key', schema: RegisteredAccount } },
    errors: ['recovery_token_invalid', 'recovery_token_expired', 'recovery_token_used', 'conflict'],
    async handle({ body, command }) {
      const grant = recovery.tokens.read(body.token);
      const key = await accounts.recover(grant, command.requestHash, command);
      return { body: presentRecovered(key), position: key.position, replayed: key.replayed };
    },
  });
