import { expect } from 'chai';
import { asPosition } from '../../events/position.ts';
import {
  type CredentialIssuer,
  credentialHash,
  previousOf,
} from '../../identity/event-credential.ts';
import { ed25519FromSeed, type SigningKey } from '../../identity/keys.ts';
import { createEventIssuer } from '../../reactors/event-issuer.ts';

const key = ed25519FromSeed(Buffer.alloc(32, 1));
const metadata = JSON.stringify({ at: '2026-11-21T10:00:00.123Z', schema: 1 });

const eventOf = (stream: string, version: number, position: number) => ({
  id: `00000000-0000-5000-8000-00000000000${position}`,
  stream,
  version: BigInt(version),
  position: asPosition(BigInt(position)),
  type: 'AccountRegistered',
  data: '{}',
  metadata,
});

const events = [
  eventOf('account-a', 0, 1),
  eventOf('account-b', 0, 2),
  eventOf('account-a', 1, 3),
  eventOf('account-b', 1, 4),
];

const issuerOf = (own: SigningKey): CredentialIssuer => ({
  did: own.did,
  kid: `${own.did}#${own.multikey}`,
  sign: own.signInPool,
});

/** The credentials of the events, issued in batches of `size`. */
const issueInBatches = async (size: number): Promise<string[]> => {
  const [before, after] = [key, ed25519FromSeed(Buffer.alloc(32, 2))].map(issuerOf);
  const { issue } = createEventIssuer({
    // The key changes within the longest batch, and within a stream.
    issuerAt: (position) => (position < 3n ? before : after) as CredentialIssuer,
    previous: async () => new Map(),
  });
  const jwts: string[] = [];
  while (jwts.length < events.length) {
    const batch = events.slice(jwts.length, jwts.length + size);
    const { credentials, keep } = await issue(batch, jwts.length);
    keep();
    jwts.push(...credentials.map(({ jwt }) => jwt));
  }
  return jwts;
};

const issueWith = async (sign: (data: Uint8Array) => Promise<Uint8Array>) => {
  const issuer = { did: key.did, kid: `${key.did}#${key.multikey}`, sign };
  const { issue } = createEventIssuer({
    issuerAt: () => issuer,
    previous: async () => new Map(),
  });
  return (await issue(events, 0)).credentials.map(({ jwt }) => jwt);
};

describe('signing a batch of events', () => {
  it('signs its streams at the same time, and each credential with the hash of the one before', async () => {
    const waiting: (() => void)[] = [];
    const together: number[] = [];
    const jwts = await issueWith(
      (data) =>
        new Promise((resolve) => {
          waiting.push(() => resolve(key.sign(data)));
          if (waiting.length < 2) return;
          together.push(waiting.length);
          // The signature that was asked for last comes first.
          for (const finish of waiting.splice(0).toReversed()) finish();
        }),
    );
    expect(together).to.deep.equal([2, 2]);
    const before = jwts.map((jwt) => previousOf(jwt).subject.previousCredentialHash);
    const [a, b] = jwts.map(credentialHash);
    expect(before).to.deep.equal([null, null, a, b]);
    expect(await issueWith(key.signInPool)).to.deep.equal(jwts);
  });

  it('gives the credentials that issuing one after the other gives, also when the key changes within it', async () => {
    const jwts = await issueInBatches(1);
    expect(await issueInBatches(events.length)).to.deep.equal(jwts);
    expect(await issueInBatches(3)).to.deep.equal(jwts);
  });

  it('issues nothing when a signature fails', async () => {
    const failed = await issueWith(() => Promise.reject(new Error('no key'))).catch(String);
    expect(failed).to.equal('Error: no key');
  });
});
