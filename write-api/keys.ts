import Type from 'typebox';
import type { AccountService } from '../commands/accounts/register-account.ts';
import type { Clock } from '../contract/clock.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { scopes } from '../contract/scopes.ts';
import { NewKey, presentNewKey, presentRevokedKey, RevokedKey } from '../presenters/account.ts';
import { Line, OneOf, Timestamp } from '../presenters/common.ts';
import { invalidField } from './invalid-field.ts';

export type KeyPorts = {
  accounts: Pick<AccountService, 'createKey' | 'revokeKey' | 'rotateKey'>;
  /** Forgets what is cached of a key, so that its revocation holds at once. */
  keysChanged: () => void;
  clock: Clock;
};

const KeyParams = Type.Object({ id: Type.String({ pattern: '^key_[0-9a-f]{32}$' }) });

/** @throws AppError validation_failed for a time that has passed */
const assertAhead = (text: string | undefined, now: number): void => {
  if (text === undefined || Date.parse(text) > now) return;
  throw invalidField({
    pointer: '/expires_at',
    code: 'out_of_range',
    detail: 'expires_at must be in the future.',
  });
};

const createKey = ({ accounts, clock }: KeyPorts): AnyOperation =>
  operation({
    name: 'create_key',
    method: 'POST',
    path: '/auth/keys',
    tag: 'Keys',
    summary: 'Create a key',
    description:
      'A key reaches the whole account, so of UCANs only one for all of it can make one. A key that is made with a UCAN, or with a key that expires, ends with that: when it expires, is revoked or rotated.',
    access: 'full',
    // A key knows no parts of an account and no caveats.
    permit: { about: 'account' },
    idempotent: true,
    answersSecret: true,
    showsIn: ['accounts'],
    input: {
      body: Type.Object(
        { label: Line(120), scope: OneOf(scopes), expires_at: Type.Optional(Timestamp) },
        { additionalProperties: false, title: 'CreateKey' },
      ),
    },
    responses: { 201: { description: 'The new key', schema: NewKey } },
    errors: ['key_limit_reached', 'conflict'],
    async handle({ body, caller, command }) {
      assertAhead(body.expires_at, clock());
      const wanted = {
        label: body.label,
        scope: body.scope,
        expiresAt: body.expires_at,
        makerScope: caller.scope,
        maker: caller,
        test: caller.test,
        requestHash: command.requestHash,
      };
      const key = await accounts.createKey(caller.accountId, wanted, command);
      return { body: presentNewKey(key), position: key.position, replayed: key.replayed };
    },
  });

const revokeKey = ({ accounts, keysChanged }: KeyPorts): AnyOperation =>
  operation({
    name: 'revoke_key',
    method: 'DELETE',
    path: '/auth/keys/{id}',
    tag: 'Keys',
    summary: 'Revoke a key for good',
    access: 'full',
    permit: { about: 'keys' },
    showsIn: ['accounts'],
    input: { params: KeyParams },
    responses: { 200: { description: 'Refused from now on', schema: RevokedKey } },
    errors: ['key_not_found', 'last_full_key', 'conflict'],
    async handle({ params, caller, command }) {
      const revoked = await accounts.revokeKey(caller.accountId, params.id, command);
      keysChanged();
      const { position, revokedAt } = revoked;
      return { body: presentRevokedKey(params.id, revokedAt), position };
    },
  });

const rotateKey = ({ accounts, keysChanged }: KeyPorts): AnyOperation =>
  operation({
    name: 'rotate_key',
    method: 'POST',
    path: '/auth/keys/{id}/rotate',
    tag: 'Keys',
    summary: 'Replace a key by a new one with the same scope',
    access: 'full',
    permit: {
      refused:
        'A UCAN cannot rotate a key: the new one would outlive it. Make one with POST /auth/keys, or rotate with a key.',
    },
    idempotent: true,
    showsIn: ['accounts'],
    input: { params: KeyParams },
    responses: {
      201: { description: 'The new key; the old one is refused from now on', schema: NewKey },
    },
    errors: ['key_not_found', 'key_revoked', 'conflict'],
    async handle({ params, caller, command }) {
      const { test } = caller;
      const wanted = { maker: caller, test, requestHash: command.requestHash };
      const key = await accounts.rotateKey(caller.accountId, params.id, wanted, command);
      keysChanged();
      return { body: presentNewKey(key), position: key.position, replayed: key.replayed };
    },
  });

export const keyOperations = (ports: KeyPorts): AnyOperation[] => [
  createKey(ports),
  revokeKey(ports),
  rotateKey(ports),
];
