import { expect } from 'chai';
import {
  type Issuer,
  verifyCredential,
  type WebhookError,
} from '../../clients/typescript/src/webhooks.ts';
import { establishIdentity, rotateKeys } from '../../commands/identity/service-identity.ts';
import type { ServiceIdentity } from '../../events/service-identity.ts';
import { issueEventCredential } from '../../identity/event-credential.ts';
import { ed25519FromSeed } from '../../identity/keys.ts';
import { kidOf } from '../../identity/service-did.ts';
import { presentServiceDid } from '../../presenters/did.ts';

const nowMs = Date.parse('2026-11-01T00:00:00.000Z');
const rotatedAt = '2026-06-01T00:00:00.000Z';
const purposes = ['credential', 'ucan', 'log', 'webhook'] as const;
const [first, second] = [1, 2].map((n) => ed25519FromSeed(Buffer.alloc(32, n))) as [
  ReturnType<typeof ed25519FromSeed>,
  ReturnType<typeof ed25519FromSeed>,
];

const keysOf = (key: typeof first, n: number) =>
  purposes.map((purpose, index) => ({
    keyId: `${purpose}-${n}`,
    purpose,
    publicKey:
      purpose === 'credential'
        ? key.multikey
        : ed25519FromSeed(Buffer.alloc(32, 10 * n + index)).multikey,
  }));

/** A service whose keys were rotated once. */
const rotatedService = (webDid: string | undefined) => {
  const credentialSchema = undefined;
  const [established] = establishIdentity(
    { status: 'none' },
    {
      type: 'EstablishIdentity',
      webDid,
      keys: keysOf(first, 1),
      credentialSchema,
      validFrom: '2026-01-01T00:00:00.000Z',
    },
  );
  const before = established?.data as ServiceIdentity;
  const [rotated] = rotateKeys(
    { status: 'established', identity: before },
    { type: 'RotateKeys', replacements: keysOf(second, 2), credentialSchema, at: rotatedAt },
  );
  return { before, after: rotated?.data as ServiceIdentity };
};

const eventAt = (at: string) => ({
  id: '11111111-1111-4111-8111-111111111111',
  stream: 'letter-8f3d2a10-5c55-4f0e-9a37-2f6c1f6f0001',
  version: 0n,
  type: 'LetterQueued',
  data: {},
  at,
  hash: 'A'.repeat(43),
});

const signed = (did: string, kid: string, key: typeof first, at: string): string =>
  issueEventCredential(
    eventAt(at),
    { logIndex: 5, previous: undefined, account: undefined },
    { did, kid, sign: (data) => key.sign(data) },
  ).jwt;

const issued = (did: string, keyId: string, key: typeof first, at: string): string =>
  signed(did, kidOf(did, { keyId, publicKey: key.multikey }), key, at);

const told = (jwt: string, issuer: Issuer): Promise<string> =>
  verifyCredential(jwt, { issuer, nowMs }).then(
    () => 'accepted',
    (error: WebhookError) => error.message,
  );

describe('credentials in the TypeScript client', () => {
  const { after } = rotatedService('did:web:letters.example');
  const answer = presentServiceDid(after, 'letters.example', nowMs) as Issuer & {
    didDocument: Issuer;
  };

  it('accepts a retired key up to its end, with five minutes for the clocks', async () => {
    for (const issuer of [answer, answer.didDocument]) {
      const by = (at: string) => told(issued(after.did, 'credential-1', first, at), issuer);
      expect(await by('2026-05-31T23:59:00.000Z')).to.equal('accepted');
      expect(await by('2026-06-01T00:05:00.000Z')).to.equal('accepted');
      expect(await by('2026-06-01T00:05:01.000Z')).to.contain('dated after its key was retired');
      expect(await by('2026-10-01T00:00:00.000Z')).to.contain('dated after its key was retired');
    }
    const fresh = issued(after.did, 'credential-2', second, '2026-10-01T00:00:00.000Z');
    expect(await told(fresh, answer)).to.equal('accepted');
  });

  it('accepts what a did:key service signed under its former DID, and under no other', async () => {
    const service = rotatedService(undefined);
    const { before: former, after: current } = service;
    const listing = presentServiceDid(current, 'letters.local', nowMs);
    const at = '2026-05-01T00:00:00.000Z';
    const genuine = issued(former.did, 'credential-1', first, at);
    expect(await told(genuine, listing)).to.equal('accepted');
    expect(await told(issued(current.did, 'credential-2', second, at), listing)).to.equal(
      'accepted',
    );
    const late = issued(former.did, 'credential-1', first, '2026-10-01T00:00:00.000Z');
    expect(await told(late, listing)).to.contain('dated after its key was retired');
    const document = listing.didDocument as Issuer;
    expect(await told(genuine, document)).to.contain('not by');
    expect(await told(genuine, { ...listing, retired_keys: [] })).to.contain('not by');
    const revoked = listing.retired_keys.map((key) => ({ ...key, revoked: true }));
    expect(await told(genuine, { ...listing, retired_keys: revoked })).to.contain('not by');
    const [oldKid, newKid] = [former, current].map(({ did }) => `${did}#${did.slice(8)}`) as [
      string,
      string,
    ];
    for (const [did, kid, by] of [
      [former.did, newKid, second],
      [current.did, oldKid, first],
      [former.did, oldKid, second],
      ['did:web:elsewhere.example', oldKid, first],
    ] as const) {
      expect(await told(signed(did, kid, by, at), listing)).not.to.equal('accepted');
    }
  });
});
