/** The keys of an account: made, rotated, revoked, and replaced for the holder of a recovery link. */

import { type BoundTo, boundToMaker, lastMomentOf, type Maker } from '../../contract/bounds.ts';
import type { Scope } from '../../contract/scopes.ts';
import { repeatedForMs } from '../../contract/secret-answers.ts';
import { toTimestamp } from '../../ground/clock.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import type { CommandContext } from '../handling/fold.ts';
import { type Account, accountAggregate } from './account.ts';
import type { AccountPorts } from './account-ports.ts';
import { type IssuedKey, issuedKey } from './issued-key.ts';
import { activeKeys, createKey, revokeKey, rotateKey } from './keys.ts';
import { newDid } from './new-did.ts';
import type { PoliciesBeforeProof } from './policies-before-proof.ts';
import { type RecoveryGrant, recoverAccount, settingsReset } from './recovery.ts';
import type { Setting } from './settings-before-proof.ts';

const earlier = (text: string | undefined, latestMs: number): string | undefined => {
  const ms = Math.min(text === undefined ? latestMs : Date.parse(text), latestMs);
  return Number.isFinite(ms) ? new Date(ms).toISOString() : undefined;
};

/**
 * A new full key for the holder of a recovery link; the old ones end, except those in `keep`.
 * @throws AppError recovery_token_invalid, recovery_token_expired, recovery_token_used, key_not_found,
 * idempotency_key_reused
 */
export const createRecover = (ports: AccountPorts, policies: PoliciesBeforeProof) => {
  const { handler, makeKey } = ports;

  return async (
    grant: RecoveryGrant,
    wanted: { keep: 'all' | string[]; resetSettings: boolean | undefined; requestHash: string },
    context: CommandContext,
  ): Promise<IssuedKey & { account: Account; policies: Setting[] }> => {
    const { requestHash, ...choice } = wanted;
    const { accountId } = grant;
    const { test } = (await handler.load(accountAggregate, accountId)).state;
    const { secrets, ...key } = makeKey(uuidv5(context.commandId, accountId), test);
    const command = {
      type: 'RecoverAccount' as const,
      key: { ...key, label: 'recovery', scope: 'full' as const },
      grant,
      requestHash,
      nowMs: ports.clock(),
      did: newDid(),
      ...choice,
    };
    const once = { ...context, oneStream: true };
    const deciding = {
      decide: (account: Account) => recoverAccount(account, command),
      ends: (_: Account, known: Setting[]) => settingsReset(known, command),
    };
    const outcome = await policies.decideWithPolicies(accountId, deciding, once);
    const made = issuedKey(outcome.state, { keyId: key.keyId, secrets }, requestHash, outcome);
    const left = await policies.policiesOf(outcome.state);
    return { ...made, account: outcome.state, policies: left };
  };
};

type HasEnded = (boundTo: BoundTo) => Promise<boolean>;

/** The keys that ended with what made them, where they could take the place of a new one. */
const endedIdsOf = async (
  { handler, limits }: AccountPorts,
  accountId: string,
  at: string,
  hasEnded: HasEnded,
): Promise<Set<string>> => {
  const { state } = await handler.load(accountAggregate, accountId);
  const active = activeKeys(state, at);
  if (active.length < limits.apiKeysPerAccount) return new Set();
  const ended = await Promise.all(active.map(({ boundTo }) => boundTo && hasEnded(boundTo)));
  return new Set(active.filter((_, index) => ended[index]).map(({ keyId }) => keyId));
};

/** @throws AppError scope_insufficient, key_revoked, key_limit_reached, idempotency_key_reused */
export const createMakeKey = (ports: AccountPorts) => {
  const { handler, limits, makeKey } = ports;

  return async (
    accountId: string,
    request: {
      label: string;
      scope: Scope;
      expiresAt?: string;
      makerScope: Scope;
      /** A permanent key makes permanent keys; keys made with an expiring credential end with it. */
      maker: Maker;
      /** Whether something has ended that a key is bound to. */
      hasEnded: HasEnded;
      test: boolean;
      requestHash: string;
    },
    context: CommandContext,
  ): Promise<IssuedKey> => {
    const { label, scope, makerScope, maker, requestHash } = request;
    const bounds = maker.bounds === undefined ? {} : { boundTo: boundToMaker(maker) };
    const expiresAt = earlier(request.expiresAt, lastMomentOf(maker));
    const { secrets, ...key } = makeKey(context.commandId, request.test);
    const at = new Date(ports.clock()).toISOString();
    const endedIds = await endedIdsOf(ports, accountId, at, request.hasEnded);
    const outcome = await handler.handle(accountAggregate, accountId, context, (account) =>
      createKey(account, {
        type: 'CreateKey',
        key: { ...key, label, scope, expiresAt, madeBy: maker.keyId, ...bounds },
        makerScope,
        requestHash,
        maxKeys: limits.apiKeysPerAccount,
        endedIds,
        at,
      }),
    );
    return issuedKey(outcome.state, { keyId: key.keyId, secrets }, requestHash, outcome);
  };
};

/** @throws AppError key_not_found, last_full_key */
export const createRevokeKey =
  (ports: AccountPorts) =>
  async (
    accountId: string,
    keyId: string,
    { withIssued, asking }: { withIssued: boolean; asking?: string },
    context: CommandContext,
  ): Promise<{ position: bigint; revokedAt: string; ended: string[] }> => {
    const at = new Date(ports.clock()).toISOString();
    const outcome = await ports.handler.handle(accountAggregate, accountId, context, (account) =>
      revokeKey(account, { type: 'RevokeKey', keyId, withIssued, asking, at }),
    );
    const ended = outcome.events.flatMap((event) =>
      event.type === 'KeyRevoked' && event.data.keyId !== keyId ? [event.data.keyId] : [],
    );
    return {
      position: outcome.position,
      revokedAt: outcome.state.keys.get(keyId)?.revokedAt ?? at,
      ended,
    };
  };

/** @throws AppError key_not_found, key_revoked, scope_insufficient, idempotency_key_reused */
export const createRotateKey = (ports: AccountPorts) => {
  const { handler, makeKey } = ports;

  return async (
    accountId: string,
    keyId: string,
    request: {
      maker: Maker;
      test: boolean;
      requestHash: string;
      /** The old key cannot even repeat the request. */
      now: boolean;
    },
    context: CommandContext,
  ): Promise<IssuedKey & { repeatableUntil: string | undefined }> => {
    const { requestHash, maker, now } = request;
    const { secrets, ...key } = makeKey(context.commandId, request.test);
    const at = new Date(ports.clock()).toISOString();
    const repeatableUntil = now ? undefined : toTimestamp(ports.clock() + repeatedForMs);
    const outcome = await handler.handle(accountAggregate, accountId, context, (account) =>
      rotateKey(account, {
        type: 'RotateKey',
        keyId,
        key: { ...key, label: '', scope: 'read' },
        requestHash,
        maker,
        repeatableUntil,
        at,
      }),
    );
    const made = issuedKey(outcome.state, { keyId: key.keyId, secrets }, requestHash, outcome);
    return { ...made, repeatableUntil: outcome.state.keys.get(keyId)?.repeatableUntil };
  };
};
