import Type from 'typebox';
import type { IssuedKey } from '../commands/accounts/register-account.ts';
import { AppError } from '../contract/errors.ts';
import { type AnyOperation, type Caller, operation } from '../contract/operation.ts';
import { scopes } from '../contract/scopes.ts';
import { NewKey, presentSettings, RegisteredAccount, Settings } from '../presenters/account.ts';
import { Nullable, OneOf, Timestamp } from '../presenters/common.ts';
import {
  type AccountContext,
  commandOf,
  commandOfCredential,
  freshness,
  requestHashOf,
} from './context.ts';
import { recoveryOperation, withRecoveryLink } from './recovery.ts';
import { keyAnswer, presentRegistered } from './registered-account.ts';

const Line = (maxLength: number) =>
  Type.Unsafe<string>({ type: 'string', minLength: 1, maxLength, 'x-text': 'line' });

const closed = { additionalProperties: false };
const Mode = OneOf(
  ['live', 'test'] as const,
  'A test account has $100.00 of test money; nothing is printed.',
);

const RegisterBody = Type.Object(
  { email: Type.String({ format: 'email', maxLength: 254 }), mode: Type.Optional(Mode) },
  { ...closed, title: 'Register' },
);

const RegisterAgentBody = Type.Object(
  {
    agent_id: Line(120),
    agent_name: Line(120),
    scope: Type.Optional(OneOf(['send', 'read'] as const)),
    mode: Type.Optional(Mode),
  },
  { ...closed, title: 'RegisterAgent' },
);

const presentIssued = (key: IssuedKey, createdAt: string) => ({
  id: key.keyId,
  api_key: key.secret,
  prefix: key.prefix,
  label: key.label,
  scope: key.scope,
  created_at: createdAt,
  expires_at: key.expiresAt ?? null,
  test: key.test,
});

const registration = (context: AccountContext): AnyOperation[] => {
  const responses = {
    201: { description: 'The account and its first key', schema: RegisteredAccount },
  };

  /** `/auth/register` and `/signup` are one operation under two paths: a key counts for both. */
  const register = (name: string, path: string) =>
    operation({
      name,
      method: 'POST',
      path,
      tag: 'Keys',
      summary: 'Register with an e-mail address',
      description: 'Answers with a full key, shown once.',
      access: 'public',
      idempotent: true,
      input: { body: RegisterBody },
      responses,
      errors: ['email_registered', 'idempotency_key_reused', 'idempotency_in_progress', 'conflict'],
      examples: [
        { summary: 'A test account', body: { email: 'anna@example.com', mode: 'test' } },
        { summary: 'A live account', body: { email: 'anna@example.com' } },
      ],
      async handle(request) {
        const asked = { name: 'register', request };
        const { email, mode } = request.body;
        const account = { kind: 'email' as const, name: email, test: mode === 'test' };
        const requestHash = requestHashOf(context, asked);
        const key = await context.accounts
          .register({ ...account, scope: 'full', requestHash }, commandOf(asked))
          .catch((error: unknown) => withRecoveryLink(context, account, error));
        return keyAnswer(context, key, ['accounts', 'wallets'], presentRegistered(key));
      },
    });

  const registerAgent = operation({
    name: 'register_agent',
    method: 'POST',
    path: '/auth/agent',
    tag: 'Keys',
    summary: 'Register an agent without an e-mail address',
    access: 'public',
    idempotent: true,
    input: { body: RegisterAgentBody },
    responses,
    errors: ['agent_registered', 'idempotency_key_reused', 'idempotency_in_progress', 'conflict'],
    examples: [
      {
        summary: 'An agent to try with',
        body: { agent_id: 'mail-agent-7', agent_name: 'Mail agent', mode: 'test' },
      },
    ],
    async handle(request) {
      const { body } = request;
      const asked = { name: 'register_agent', request };
      const key = await context.accounts.register(
        {
          kind: 'agent',
          name: body.agent_id,
          displayName: body.agent_name,
          scope: body.scope ?? 'send',
          test: body.mode === 'test',
          requestHash: requestHashOf(context, asked),
        },
        commandOf(asked),
      );
      return keyAnswer(context, key, ['accounts', 'wallets'], presentRegistered(key));
    },
  });

  return [register('register', '/auth/register'), register('signup', '/signup'), registerAgent];
};

const KeyParams = Type.Object({ id: Type.String({ pattern: '^key_[0-9a-f]{32}$' }) });

const keys = (context: AccountContext): AnyOperation[] => {
  const createKey = operation({
    name: 'create_key',
    method: 'POST',
    path: '/auth/keys',
    tag: 'Keys',
    summary: 'Create a key',
    access: 'full',
    idempotent: true,
    input: {
      body: Type.Object(
        { label: Line(120), scope: OneOf(scopes), expires_at: Type.Optional(Timestamp) },
        { ...closed, title: 'CreateKey' },
      ),
    },
    responses: { 201: { description: 'The new key', schema: NewKey } },
    errors: [
      'scope_insufficient',
      'key_limit_reached',
      'idempotency_key_reused',
      'idempotency_in_progress',
      'conflict',
    ],
    async handle(request) {
      const { body, caller } = request;
      const asked = { name: 'create_key', request };
      const expiresAt = expiryOf(body.expires_at, context.clock(), caller);
      const key = await context.accounts.createKey(
        caller.accountId,
        {
          label: body.label,
          scope: body.scope,
          expiresAt,
          makerScope: caller.scope,
          test: caller.test,
          requestHash: requestHashOf(context, asked),
        },
        commandOfCredential(asked),
      );
      return issued(key);
    },
  });

  const issued = (key: IssuedKey) =>
    keyAnswer(context, key, ['accounts'], presentIssued(key, key.createdAt));

  const revokeKey = operation({
    name: 'revoke_key',
    method: 'DELETE',
    path: '/auth/keys/{id}',
    tag: 'Keys',
    summary: 'Revoke a key for good',
    access: 'full',
    input: { params: KeyParams },
    responses: {
      200: {
        description: 'Refused from now on',
        schema: Type.Object({ id: Type.String(), revoked_at: Timestamp }, { title: 'RevokedKey' }),
      },
    },
    errors: ['key_not_found', 'last_full_key', 'conflict'],
    async handle(request) {
      const { params, caller } = request;
      const command = commandOf({ name: 'revoke_key', request });
      const { position, revokedAt } = await context.accounts.revokeKey(
        caller.accountId,
        params.id,
        command,
      );
      context.keysChanged();
      const caughtUp = await context.waitFor(['accounts'], position);
      return {
        body: { id: params.id, revoked_at: revokedAt },
        headers: freshness(caughtUp),
        position,
      };
    },
  });

  const rotateKey = operation({
    name: 'rotate_key',
    method: 'POST',
    path: '/auth/keys/{id}/rotate',
    tag: 'Keys',
    summary: 'Replace a key by a new one with the same scope',
    access: 'full',
    idempotent: true,
    input: { params: KeyParams },
    responses: {
      201: { description: 'The new key; the old one is refused from now on', schema: NewKey },
    },
    errors: [
      'key_not_found',
      'key_revoked',
      'idempotency_key_reused',
      'idempotency_in_progress',
      'conflict',
    ],
    async handle(request) {
      const { params, caller } = request;
      const asked = { name: 'rotate_key', request };
      const requestHash = requestHashOf(context, asked);
      const key = await context.accounts.rotateKey(
        caller.accountId,
        params.id,
        { test: caller.test, requestHash },
        commandOf(asked),
      );
      context.keysChanged();
      return issued(key);
    },
  });

  return [createKey, revokeKey, rotateKey];
};

/**
 * When a new key expires: as asked for, and never after the UCAN that makes it.
 * @throws AppError validation_failed for a time that has passed
 */
const expiryOf = (text: string | undefined, now: number, caller: Caller): string | undefined => {
  const latest = caller.ucan?.expiresAtMs ?? Number.POSITIVE_INFINITY;
  const time = text === undefined ? latest : Math.min(Date.parse(text), latest);
  if (time === Number.POSITIVE_INFINITY) return undefined;
  if (time > now) return new Date(time).toISOString();
  const detail = 'expires_at must be in the future.';
  throw new AppError('validation_failed', detail, {
    errors: [{ pointer: '/expires_at', code: 'out_of_range', detail }],
  });
};

const dayMs = 86_400_000;

const settings = (context: AccountContext): AnyOperation =>
  operation({
    name: 'update_settings',
    method: 'PUT',
    path: '/api/settings',
    tag: 'Settings',
    summary: 'Set webhook URL and notification e-mail',
    description:
      'Either or both; null removes. A new webhook is answered with its signing secret, once; rotate_webhook_secret asks for a new one, and both sign for 24 hours.',
    access: 'full',
    input: {
      body: Type.Object(
        {
          webhook_url: Type.Optional(
            Nullable(Type.String({ format: 'uri', pattern: '^https?://', maxLength: 2048 })),
          ),
          notification_email: Type.Optional(
            Nullable(Type.String({ format: 'email', maxLength: 254 })),
          ),
          rotate_webhook_secret: Type.Optional(
            Type.Boolean({ description: 'Gives the webhook a new secret.' }),
          ),
        },
        { ...closed, minProperties: 1, title: 'UpdateSettings' },
      ),
    },
    responses: { 200: { description: 'The settings after the change', schema: Settings } },
    errors: ['account_not_found', 'url_not_allowed', 'webhook_not_set', 'conflict'],
    async handle(request) {
      const { body, caller } = request;
      if (body.webhook_url) await context.assertCallable(body.webhook_url, '/webhook_url');
      const change = {
        webhookUrl: body.webhook_url,
        notificationEmail: body.notification_email,
        rotateSecret: body.rotate_webhook_secret,
        newSecret: context.newSecret(),
        previousSecretUntil: new Date(context.clock() + dayMs).toISOString(),
      };
      const command = commandOf({ name: 'update_settings', request });
      const changed = await context.accounts.changeSettings(caller.accountId, change, command);
      const caughtUp = await context.waitFor(['accounts'], changed.position);
      return {
        body: {
          ...presentSettings(changed.settings),
          ...(changed.newSecret ? { webhook_secret: changed.settings.webhookSecret } : {}),
        },
        headers: freshness(caughtUp),
        position: changed.position,
      };
    },
  });

export const accountOperations = (context: AccountContext): AnyOperation[] => [
  ...registration(context),
  recoveryOperation(context),
  ...keys(context),
  settings(context),
];
