import type { Static } from 'typebox';
import type { AccountService } from '../commands/accounts/account-service.ts';
import type { KeepLimits } from '../commands/guards/keep-limits.ts';
import type { BoundTo } from '../contract/bounds.ts';
import {
  type AnyOperation,
  type InputSchemas,
  type OperationRequest,
  operation,
} from '../contract/operation.ts';
import { invalidField } from '../contract/refusals.ts';
import { scopes } from '../contract/scopes.ts';
import type { Clock } from '../ground/clock.ts';
import { Type } from '../ground/type.ts';
import { uuidv5 } from '../ground/uuid.ts';
import { caveatNames } from '../identity/ucan/caveats.ts';
import {
  NewKey,
  presentNewKey,
  presentRevokedKey,
  presentRotatedKey,
  RevokedKey,
  RotatedKey,
} from '../presenters/account.ts';
import { Line, OneOf, Timestamp, withElsewhere } from '../presenters/common.ts';

export type KeyPorts = {
  accounts: Pick<AccountService, 'createKey' | 'revokeKey' | 'rotateKey'>;
  /** Makes what changed of an account's keys at a log position hold at once. */
  keysChanged: (accountId: string, position: bigint) => void;
  /** A key that has a policy ends no keys but itself and those that come from it. */
  keepLimits: Pick<KeepLimits, 'assertMayManage'>;
  /** Whether something has ended that a key is bound to. */
  hasEnded: (boundTo: BoundTo) => Promise<boolean>;
  clock: Clock;
};

const KeyParams = Type.Object({ id: Type.String({ pattern: '^key_[0-9a-f]{32}$' }) });

/** @throws AppError validation_failed for a time that has passed */
const assertAhead = (text: string | undefined, now: number): void => {
  if (text === undefined || Date.parse(text) > now) return;
  throw invalidField('/expires_at', 'out_of_range', 'expires_at must be in the future.', {
    kind: 'past',
  });
};

const createKey = ({ accounts, hasEnded, clock }: KeyPorts): AnyOperation =>
  operation({
    name: 'create_key',
    method: 'POST',
    path: '/auth/keys',
    tag: 'Keys',
    summary: 'Create a key',
    description:
      'A key reaches the whole account, so a UCAN can make one only if it covers the whole account. A key that is made with a UCAN or an expiring key ends with it: when it expires, or is revoked or rotated.',
    access: 'full',
    // A key knows no parts of an account and no caveats.
    permit: { about: 'account' },
    idempotent: true,
    answersSecret: true,
    input: {
      body: withElsewhere(
        Type.NamedExact('CreateKey', {
          label: Line(120),
          scope: OneOf(scopes),
          expires_at: Type.Optional(Timestamp),
        }),
        ['policy', 'rules', 'limit', 'limits', 'approvals', 'capabilities', ...caveatNames],
        'A new key has no limits. Set them with PUT /auth/keys/{id}/policy before you pass the key on.',
      ),
    },
    responses: { 201: { description: 'The new key', schema: NewKey } },
    errors: ['key_limit_reached', 'conflict'],
    withoutSecret:
      'Make another key under a new Idempotency-Key, and revoke this one (GET /auth/keys lists it).',
    async handle({ body, caller, command }) {
      assertAhead(body.expires_at, clock());
      const wanted = {
        label: body.label,
        scope: body.scope,
        expiresAt: body.expires_at,
        makerScope: caller.scope,
        maker: caller,
        hasEnded,
        test: caller.test,
        requestHash: command.requestHash,
      };
      const key = await accounts.createKey(caller.accountId, wanted, command);
      const { position, replayed, createdAt: answeredAt } = key;
      return { body: presentNewKey(key), position, replayed, answeredAt };
    },
  });

type Context = Pick<OperationRequest<InputSchemas, 'auth'>, 'caller' | 'command'>;

/** The key itself, which is no UCAN. */
const noUcan = {
  refused:
    'A UCAN is not a key. End it with POST /api/identity/ucan/revoke; revoke and rotate keys with a key.',
};

const Revoking = Type.Exact({
  revoke_issued: Type.Optional(
    OneOf(
      ['true', 'false'] as const,
      'Also ends the keys that it made or was rotated to, and the keys that those made. The key of this request stays.',
    ),
  ),
});

const revoking = {
  tag: 'Keys',
  whileBlocked: true,
  responses: { 200: { description: 'The key is revoked', schema: RevokedKey } },
};

const revoke = async (
  { accounts, keysChanged, keepLimits }: KeyPorts,
  keyId: string,
  { revoke_issued: issued }: Static<typeof Revoking>,
  { caller, command }: Context,
) => {
  const withIssued = issued === 'true';
  const { accountId, keyId: asking } = caller;
  await keepLimits.assertMayManage(caller, keyId, 'revoke another key');
  const revoked = await accounts.revokeKey(accountId, keyId, { withIssued, asking }, command);
  const { position, revokedAt, ended } = revoked;
  keysChanged(accountId, position);
  return { body: presentRevokedKey(keyId, revokedAt, withIssued ? ended : undefined), position };
};

const revokeKey = (ports: KeyPorts): AnyOperation =>
  operation({
    ...revoking,
    whileFrozen: 'itself',
    name: 'revoke_key',
    method: 'DELETE',
    path: '/auth/keys/{id}',
    summary: 'Revoke a key for good',
    description:
      'Any key may revoke itself; to revoke another key you need scope full, and a key that has a policy revokes only itself and keys that come from it. The UCANs of a key end with it. `revoke_issued=true` also ends the keys that it made, the keys that it was rotated to, and their descendants. A rotated key that is revoked can no longer repeat its rotation.',
    access: 'full',
    ownKey: true,
    permit: { about: 'keys' },
    input: { params: KeyParams, query: Revoking },
    errors: ['key_not_found', 'last_full_key', 'policy_protected', 'conflict'],
    handle: ({ params, query, caller, command }) =>
      revoke(ports, params.id, query, { caller, command }),
  });

const revokeOwnKey = (ports: KeyPorts): AnyOperation =>
  operation({
    ...revoking,
    whileFrozen: 'always',
    name: 'revoke_own_key',
    method: 'DELETE',
    path: '/auth/keys/self',
    summary: 'Revoke the key of this request',
    description:
      'Works with any scope. Equivalent to DELETE /auth/keys/{id} with the key’s own id.',
    access: 'auth',
    permit: noUcan,
    input: { query: Revoking },
    errors: ['key_not_found', 'last_full_key', 'conflict'],
    handle: ({ query, caller, command }) => revoke(ports, caller.keyId, query, { caller, command }),
  });

const Rotating = Type.NamedExact('RotateKey', {
  revoke_now: Type.Optional(
    Type.Boolean({
      description:
        'If true, the old key cannot even repeat this request. By default it can repeat it for 10 minutes, under the same Idempotency-Key, in case the answer was lost.',
    }),
  ),
});

const rotating = {
  tag: 'Keys',
  idempotent: true,
  answersSecret: true,
  replacedKey: true,
  withoutSecret:
    'Rotate the new key with another full key, or register the address again to get a recovery link.',
  whileBlocked: true,
  whileFrozen: 'never' as const,
  responses: { 201: { description: 'The new key', schema: RotatedKey } },
};

const rotate = async (
  { accounts, keysChanged, keepLimits }: KeyPorts,
  keyId: string,
  { revoke_now: now = false }: Static<typeof Rotating>,
  { caller, command }: Context,
) => {
  const { accountId, test } = caller;
  await keepLimits.assertMayManage(caller, keyId, 'rotate another key');
  const wanted = { maker: caller, test, requestHash: command.requestHash, now };
  const key = await accounts.rotateKey(accountId, keyId, wanted, command);
  const { position, replayed, createdAt: answeredAt } = key;
  keysChanged(accountId, position);
  return { body: presentRotatedKey(key), position, replayed, answeredAt };
};

const rotateKey = (ports: KeyPorts): AnyOperation =>
  operation({
    ...rotating,
    name: 'rotate_key',
    method: 'POST',
    path: '/auth/keys/{id}/rotate',
    summary: 'Replace a key by a new one with the same scope',
    description:
      'Any key may rotate itself; to rotate another key you need scope full, and a key that has a policy rotates only itself and keys that come from it. The old key stops working at once. Only if it rotated itself, it can repeat the same request for 10 minutes, under the same Idempotency-Key.',
    access: 'full',
    ownKey: true,
    permit: noUcan,
    input: { params: KeyParams, body: Rotating },
    errors: ['key_not_found', 'key_revoked', 'policy_protected', 'conflict'],
    handle: ({ params, body, caller, command }) =>
      rotate(ports, params.id, body, { caller, command }),
  });

const rotateOwnKey = (ports: KeyPorts): AnyOperation =>
  operation({
    ...rotating,
    name: 'rotate_own_key',
    method: 'POST',
    path: '/auth/keys/self/rotate',
    summary: 'Replace the key of this request by a new one',
    description:
      'Works with any scope. Equivalent to POST /auth/keys/{id}/rotate with the key’s own id.',
    access: 'auth',
    permit: noUcan,
    input: { body: Rotating },
    errors: ['key_not_found', 'key_revoked', 'conflict'],
    handle({ body, caller, command }) {
      // `self` is another key for each caller: one key must not get the answer of another.
      const own = { ...command, commandId: uuidv5(command.commandId, caller.keyId) };
      return rotate(ports, caller.keyId, body, { caller, command: own });
    },
  });

export const keyOperations = (ports: KeyPorts): AnyOperation[] => [
  createKey(ports),
  revokeKey(ports),
  revokeOwnKey(ports),
  rotateKey(ports),
  rotateOwnKey(ports),
];
