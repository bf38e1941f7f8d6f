import type { CallerDids } from '../commands/accounts/caller-did.ts';
import type { DidChallenges } from '../commands/accounts/did-challenge.ts';
import type { KeepLimits } from '../commands/guards/keep-limits.ts';
import { AppError } from '../contract/errors.ts';
import { type AnyOperation, type Caller, operation } from '../contract/operation.ts';
import type { Clock } from '../ground/clock.ts';
import { Type } from '../ground/type.ts';
import { controlFinding, provable } from '../identity/did-control.ts';
import type { Resolver } from '../identity/resolver.ts';
import { type CallerRef, callerRefOf } from '../limits/turn.ts';
import {
  CallerDid,
  DidChallenge,
  presentCallerDid,
  presentDidChallenge,
} from '../presenters/credentials.ts';

type CallerDidPorts = {
  callerDids: CallerDids;
  challenges: DidChallenges;
  resolver: Resolver;
  clock: Clock;
  keepLimits: Pick<KeepLimits, 'assertUnlimited'>;
};

const Body = Type.NamedExact('SetDid', {
  did: Type.Optional(
    Type.String({
      minLength: 8,
      maxLength: 2_048,
      pattern: '^did:',
      description: 'Your DID, such as did:key:z6Mk….',
    }),
  ),
  challenge: Type.Optional(Type.String({ minLength: 1, maxLength: 4_096 })),
  signature: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description:
        'Over the bytes of `challenge`: base64url, or for did:pkh a personal_sign signature (EIP-191), 0x….',
    }),
  ),
});

const refuse = (
  code: 'did_control_not_proved' | 'validation_failed',
  pointer: string,
  detail: string,
): AppError => new AppError(code, detail, { errors: [{ pointer, code, detail }] });

/**
 * Another DID takes over the identity of the account for good, so neither a narrower key nor an expiring one
 * may hand it over.
 */
const assertMayReplace = (caller: Caller): void => {
  assertFullKey(caller);
  if (caller.bounds === undefined) return;
  throw new AppError(
    'scope_insufficient',
    'A DID of your own outlives a UCAN and an expiring key. Set it with a key that does not expire.',
  );
};

const assertFullKey = (caller: Caller): void => {
  if (caller.scope === 'full') return;
  throw new AppError(
    'scope_insufficient',
    `You need a full key to set a DID of your own; this one is ${caller.scope}.`,
  );
};

const assertMayMake = ({ scope }: Caller): void => {
  if (scope !== 'read') return;
  throw new AppError(
    'scope_insufficient',
    'The account has no DID yet, and a read key cannot create one. Ask once with a send or full key.',
  );
};

type Body = { did?: string; challenge?: string; signature?: string };

/** A field that is sent without the fields that it needs. */
const assertTogether = ({ did, challenge, signature }: Body): void => {
  const answered = challenge !== undefined && signature !== undefined;
  if (did === undefined && (challenge !== undefined || signature !== undefined)) {
    throw refuse('validation_failed', '/did', 'challenge and signature need a did.');
  }
  if (!answered && (challenge !== undefined || signature !== undefined)) {
    const missing = challenge === undefined ? 'challenge' : 'signature';
    throw refuse('validation_failed', `/${missing}`, 'Send challenge and signature together.');
  }
};

export const callerDidOperations = (ports: CallerDidPorts): AnyOperation[] => {
  const { callerDids, challenges, resolver, clock, keepLimits } = ports;

  const documentOf = async (did: string, by: CallerRef): Promise<object> => {
    const { didDocument } = await resolver.resolve(did, { by });
    // A did:web of the caller that is out of reach at the moment is still the caller's DID.
    return didDocument ?? { id: did };
  };

  const howToProve = async (did: string, by: CallerRef) => {
    const asked = { resolve: (one: string) => resolver.resolve(one, { by }) };
    const proof = await provable(asked, did, clock());
    if ('finding' in proof) {
      throw refuse('did_control_not_proved', '/did', `This DID cannot be used: ${proof.finding}.`);
    }
    return proof;
  };

  const answer = async (
    identity: { did: string; custody: 'service' | 'self'; created: boolean },
    by: CallerRef,
    position?: bigint,
  ) => ({
    status: identity.created ? 201 : 200,
    body: presentCallerDid(identity, await documentOf(identity.did, by)),
    position,
  });

  const setDid = operation({
    name: 'set_did',
    method: 'POST',
    path: '/api/identity/did',
    tag: 'Identity',
    summary: 'Get, create or set your DID',
    description:
      'With `{}`: returns your DID. An account without a DID gets a new one, whose key the service keeps. With `{ did }`: returns a challenge for that DID (202). With `{ did, challenge, signature }`: that DID replaces your DID.',
    access: 'auth',
    permit: { about: 'account' },
    input: { body: Body },
    responses: {
      200: { description: 'Your DID', schema: CallerDid },
      201: { description: 'Your new DID', schema: CallerDid },
      202: { description: 'A challenge to sign', schema: DidChallenge },
    },
    errors: [
      ...(['account_not_found', 'did_challenge_invalid', 'did_control_not_proved'] as const),
      ...(['policy_protected', 'conflict'] as const),
    ],
    examples: [{ summary: 'A DID whose key the service keeps', body: {} }],
    async handle({ body, caller, command, address }) {
      const by = callerRefOf(caller, address);
      const { did, challenge, signature } = body;
      assertTogether(body);
      if (did === undefined) {
        if (!(await callerDids.current(caller.accountId))) assertMayMake(caller);
        const ensured = await callerDids.ensure(caller.accountId, command);
        return answer(ensured, by, ensured.position);
      }
      const current = await callerDids.current(caller.accountId);
      if (current?.did === did) return answer({ ...current, created: false }, by);
      assertMayReplace(caller);
      await keepLimits.assertUnlimited(caller, 'set a DID of its own for the account');
      const proof = await howToProve(did, by);
      const replaces = current?.since;
      const claim = { accountId: caller.accountId, did, replaces };
      if (challenge === undefined || signature === undefined) {
        return { status: 202, body: presentDidChallenge(did, challenges.issue(claim, clock())) };
      }
      challenges.check(challenge, claim, clock());
      const finding = await controlFinding(proof, challenge, signature);
      if (finding !== undefined) {
        throw refuse('did_control_not_proved', '/signature', `${finding}.`);
      }
      const adopted = await callerDids.adopt(caller.accountId, { did, replaces }, command);
      return answer(adopted, by, adopted.position);
    },
  });

  return [setDid];
};
