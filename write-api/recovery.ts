import type { Account } from '../commands/accounts/account.ts';
import type { AccountService } from '../commands/accounts/account-service.ts';
import { activeKeys } from '../commands/accounts/keys.ts';
import type { RecoveryTokens } from '../commands/accounts/recovery.ts';
import { AppError, isAppError } from '../contract/errors.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { Type } from '../ground/type.ts';
import { type LeftBehind, presentRecovered, RecoveredAccount } from '../presenters/account.ts';

/** How lost keys are replaced. */
export type Recovery = {
  tokens: RecoveryTokens;
  /** Whether links can be sent at all. */
  mailConfigured: boolean;
  /** Sees to it that the account's address gets a link, unless it just got one. */
  sendLink: (accountId: string) => Promise<void>;
};

/**
 * Sends a recovery link when somebody registers an address that already has an account.
 * @throws AppError email_registered, or what `error` is
 */
export const withRecoveryLink = async (
  ports: { accounts: Pick<AccountService, 'findAddress'>; recovery: Recovery },
  account: { kind: 'email'; name: string; test: boolean },
  error: unknown,
): Promise<never> => {
  if (!isAppError(error) || error.code !== 'email_registered') throw error;
  const { accounts, recovery } = ports;
  const found = await accounts.findAddress(account.name, account.test);
  if (found.kind !== 'account') throw error;
  await recovery.sendLink(found.accountId);
  if (!recovery.mailConfigured) throw error;
  throw new AppError(
    'email_registered',
    'This e-mail address already has an account. Use its key, or the recovery link that is sent to the address (at most one every 15 minutes).',
  );
};

/** The state before the recovery made its key, and what the recovery ended. */
const leftBehind = (
  account: Account,
  policies: { value: string }[],
  made: { keyId: string; createdAt: string },
): LeftBehind => {
  const { settings, subscriptions, did } = account;
  const idsOf = (keys: { keyId: string }[]): string[] =>
    keys.map(({ keyId }) => keyId).filter((id) => id !== made.keyId);
  return {
    endedKeys: idsOf([...account.keys.values()].filter((key) => key.revokedAt === made.createdAt)),
    keys: idsOf(activeKeys(account, made.createdAt)),
    settings,
    subscriptions: [...subscriptions.values()],
    did: did?.did,
    policies: policies.map(({ value }) => value),
  };
};

export type RecoveryPorts = {
  accounts: Pick<AccountService, 'recover'>;
  recovery: Recovery;
  /** Makes the end of keys hold at once. */
  keysChanged: (accountId: string, position: bigint) => void;
};

export const recoveryOperation = ({
  accounts,
  recovery,
  keysChanged,
}: RecoveryPorts): AnyOperation =>
  operation({
    name: 'recover_account',
    method: 'POST',
    path: '/auth/recover',
    tag: 'Keys',
    summary: 'Get a new key with a recovery link',
    description:
      'Registering an address that already has an account sends it a link. The token in the link is valid for one hour and one key, and confirms the address. All other keys end with their UCANs, except those in `keep_keys`. Settings that were made before the address was confirmed, and that nobody kept, are removed, because somebody else may have made them: webhook, notification address, audit webhooks, the account’s own DID, the policy of the account, and the approvers that other policies name.',
    access: 'public',
    idempotent: true,
    answersSecret: true,
    withoutSecret: 'Register the address again to get a new recovery link.',
    input: {
      body: Type.NamedExact('RecoverAccount', {
        token: Type.String({ minLength: 1, maxLength: 200 }),
        keep_keys: Type.Optional(
          Type.Union(
            [
              Type.Literal('all'),
              Type.Array(Type.String({ maxLength: 64, 'x-max-bytes': 66 }), {
                maxItems: 100,
                uniqueItems: true,
              }),
            ],
            { description: 'Ids of the keys that stay, or `all`. Default: none.' },
          ),
        ),
        reset_settings: Type.Optional(
          Type.Boolean({
            description:
              'true removes all settings (webhook, notification address, audit webhooks, the account’s own DID, the policy of the account, and the approvers that other policies name), false removes none. Default: removes those that were set before the address was confirmed and that nobody kept.',
          }),
        ),
      }),
    },
    responses: { 201: { description: 'A new full key', schema: RecoveredAccount } },
    errors: [
      'recovery_token_invalid',
      'recovery_token_expired',
      'recovery_token_used',
      'key_not_found',
      'conflict',
    ],
    async handle({ body, command }) {
      const grant = recovery.tokens.read(body.token);
      const wanted = {
        keep: body.keep_keys ?? [],
        resetSettings: body.reset_settings,
        requestHash: command.requestHash,
      };
      const { account, policies, ...key } = await accounts.recover(grant, wanted, command);
      const { accountId, position, replayed, createdAt: answeredAt } = key;
      keysChanged(accountId, position);
      return {
        body: presentRecovered(key, leftBehind(account, policies, key)),
        account: accountId,
        position,
        replayed,
        answeredAt,
      };
    },
  });
