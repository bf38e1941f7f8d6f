import {
  establishIdentity,
  moveIdentity,
  rotateKeys,
} from '../../commands/identity/service-identity.ts';
import type { ServiceIdentity } from '../../events/service-identity.ts';
import { ed25519FromSeed } from '../../identity/keys.ts';
import { kidOf } from '../../identity/service-did.ts';
import { issueEventCredential } from './issue-credential.ts';

export type Key = ReturnType<typeof ed25519FromSeed>;

const keyOfSeed = (n: number): Key => ed25519FromSeed(Buffer.alloc(32, n));

/** Credential keys of an identity before and after its keys were rotated. */
export const [firstKey, secondKey] = [keyOfSeed(1), keyOfSeed(2)];

const credentialSchema = undefined;
const eventId = '11111111-1111-4111-8111-111111111111';
const stream = 'letter-8f3d2a10-5c55-4f0e-9a37-2f6c1f6f0001';

const keysOf = (credentialKey: Key, n: number) =>
  (['credential', 'ucan', 'log', 'webhook'] as const).map((purpose, index) => ({
    keyId: `${purpose}-${n}`,
    purpose,
    publicKey: (purpose === 'credential' ? credentialKey : keyOfSeed(10 * n + index)).multikey,
  }));

/** A new identity, of 2026-01-01: a did:key where `webDid` is undefined. */
export const establishedIdentity = (webDid: string | undefined): ServiceIdentity => {
  const [event] = establishIdentity(
    { status: 'none' },
    {
      type: 'EstablishIdentity',
      webDid,
      keys: keysOf(firstKey, 1),
      credentialSchema,
      validFrom: '2026-01-01T00:00:00.000Z',
    },
  );
  return event?.data as ServiceIdentity;
};

/** The identity after its keys were rotated on 2026-06-01. */
export const rotatedIdentity = (identity: ServiceIdentity): ServiceIdentity => {
  const [event] = rotateKeys(
    { status: 'established', identity },
    {
      type: 'RotateKeys',
      replacements: keysOf(secondKey, 2),
      credentialSchema,
      at: '2026-06-01T00:00:00.000Z',
    },
  );
  return event?.data as ServiceIdentity;
};

/** The identity after it moved to a did:web. */
export const movedIdentity = (identity: ServiceIdentity, webDid: string): ServiceIdentity => {
  const [event] = moveIdentity(
    { status: 'established', identity },
    { type: 'MoveIdentity', webDid, credentialSchema },
  );
  return event?.data as ServiceIdentity;
};

/** The name of a credential key of these identities. */
export const kidOfKey = (did: string, key: Key): string =>
  kidOf(did, {
    keyId: key === firstKey ? 'credential-1' : 'credential-2',
    publicKey: key.multikey,
  });

/** The credential (JWT) of a letter's event at a time. */
export const credentialOf = (did: string, kid: string, key: Key, at: string): string =>
  issueEventCredential(
    {
      id: eventId,
      stream,
      version: 0n,
      type: 'LetterQueued',
      data: {},
      at,
      hash: 'A'.repeat(43),
    },
    { logIndex: 5, previous: undefined, account: undefined },
    { did, kid, sign: (data) => key.sign(data) },
  ).jwt;
