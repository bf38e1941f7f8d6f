import Type from 'typebox';
import { AppError, isAppError } from '../contract/errors.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { RegisteredAccount } from '../presenters/account.ts';
import { type AccountContext, commandOf, requestHashOf } from './context.ts';
import { keyAnswer, presentRegistered } from './registered-account.ts';

/**
 * Sends a recovery link to whoever registers an address that has an account already.
 * @throws AppError email_registered, or what `error` is
 */
export const withRecoveryLink = async (
  context: AccountContext,
  account: { kind: 'email'; name: string; test: boolean },
  error: unknown,
): Promise<never> => {
  if (!isAppError(error) || error.code !== 'email_registered') throw error;
  const { accounts, recovery } = context;
  await recovery.sendLink(accounts.accountIdOf(account.kind, account.name, account.test));
  if (!recovery.mailConfigured) throw error;
  throw new AppError(
    'email_registered',
    'This e-mail address has an account already; use its key, or the recovery link that is sent to the address (at most one in 15 minutes).',
  );
};

const message =
  'Keep api_key safe, it is not shown again. Your older keys still work: list them with GET /auth/keys and revoke what you lost with DELETE /auth/keys/{id}.';

export const recoveryOperation = (context: AccountContext): AnyOperation =>
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
    input: {
      body: Type.Object(
        { token: Type.String({ minLength: 1, maxLength: 200 }) },
        { additionalProperties: false, title: 'RecoverAccount' },
      ),
    },
    responses: { 201: { description: 'A new full key', schema: RegisteredAccount } },
    errors: [
      'recovery_token_invalid',
      'recovery_token_expired',
      'recovery_token_used',
      'idempotency_key_reused',
      'idempotency_in_progress',
      'conflict',
    ],
    async handle(request) {
      const asked = { name: 'recover_account', request };
      const grant = context.recovery.tokens.read(request.body.token);
      const requestHash = requestHashOf(context, asked);
      const key = await context.accounts.recover(grant, requestHash, commandOf(asked));
      return keyAnswer(context, key, ['accounts'], presentRegistered(key, message));
    },
  });
