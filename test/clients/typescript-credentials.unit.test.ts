import { expect } from 'chai';
import type { AnswerOf } from '../../clients/typescript/src/operation-types.ts';
import {
  type DidDocument,
  type Issuer,
  verifyCredential,
  type WebhookError,
} from '../../clients/typescript/src/webhooks.ts';
import type { ServiceIdentity } from '../../events/service-identity.ts';
import { type Continuations, continuationsOf } from '../../identity/continuation.ts';
import { ed25519FromSeed } from '../../identity/keys.ts';
import { presentServiceDid } from '../../presenters/did.ts';
import {
  credentialOf,
  establishedIdentity,
  firstKey,
  type Key,
  kidOfKey,
  movedIdentity,
  rotatedIdentity,
  secondKey,
} from '../support/service-identities.ts';

const nowMs = Date.parse('2026-11-01T00:00:00.000Z');

/** A service whose keys were rotated once. */
const rotatedService = (webDid: string | undefined) => {
  const before = establishedIdentity(webDid);
  return { before, after: rotatedIdentity(before) };
};

/** The answer of `service_did`, as a client receives it. */
const answerOf = (
  identity: ServiceIdentity,
  former?: Continuations,
  origin = 'letters.local',
): AnswerOf<'service_did'> =>
  JSON.parse(JSON.stringify(presentServiceDid(identity, origin, nowMs, former)));

const documentIn = ({ didDocument }: AnswerOf<'service_did'>): DidDocument =>
  didDocument as unknown as DidDocument;

const issued = (did: string, key: Key, at: string): string =>
  credentialOf(did, kidOfKey(did, key), key, at);

const told = (jwt: string, issuer: Issuer): Promise<string> =>
  verifyCredential(jwt, { issuer, nowMs }).then(
    () => 'accepted',
    (error: WebhookError) => error.message,
  );

describe('credentials in the TypeScript client', () => {
  const { after } = rotatedService('did:web:letters.example');
  const answer = answerOf(after);

  it('accepts a retired key up to its end, with five minutes for the clocks', async () => {
    for (const issuer of [answer, documentIn(answer)]) {
      const by = (at: string) => told(issued(after.did, firstKey, at), issuer);
      expect(await by('2026-05-31T23:59:00.000Z')).to.equal('accepted');
      expect(await by('2026-06-01T00:05:00.000Z')).to.equal('accepted');
      expect(await by('2026-06-01T00:05:01.000Z')).to.contain('dated after its key was retired');
      expect(await by('2026-10-01T00:00:00.000Z')).to.contain('dated after its key was retired');
    }
    const fresh = issued(after.did, secondKey, '2026-10-01T00:00:00.000Z');
    expect(await told(fresh, answer)).to.equal('accepted');
  });

  it('accepts what a did:key service signed under its former DID, and under no other', async () => {
    const service = rotatedService(undefined);
    const { before: former, after: current } = service;
    const statements = (signer: Key) =>
      continuationsOf([former, current], 'letters.local', () => signer);
    const listing = answerOf(current, statements(firstKey));
    const at = '2026-05-01T00:00:00.000Z';
    const genuine = issued(former.did, firstKey, at);
    expect(await told(genuine, listing)).to.equal('accepted');
    expect(await told(issued(current.did, secondKey, at), listing)).to.equal('accepted');
    const late = issued(former.did, firstKey, '2026-10-01T00:00:00.000Z');
    expect(await told(late, listing)).to.contain('dated after its key was retired');
    expect(await told(genuine, documentIn(listing))).to.contain('not by');
    expect(await told(genuine, { ...listing, retired_keys: [] })).to.contain('not by');
    for (const former_dids of [[], statements(secondKey).dids]) {
      expect(await told(genuine, { ...listing, former_dids })).to.contain('not by');
    }
    const revoked = listing.retired_keys.map((key) => ({ ...key, revoked: true }));
    expect(await told(genuine, { ...listing, retired_keys: revoked })).to.contain('not by');
    const [oldKid, newKid] = [former, current].map(({ did }) => `${did}#${did.slice(8)}`) as [
      string,
      string,
    ];
    for (const [did, kid, by] of [
      [former.did, newKid, secondKey],
      [current.did, oldKid, firstKey],
      [former.did, oldKid, secondKey],
      ['did:web:elsewhere.example', oldKid, firstKey],
    ] as const) {
      expect(await told(credentialOf(did, kid, by, at), listing)).not.to.equal('accepted');
    }
  });

  it('accepts what a service signed under its did:key before it moved to a did:web, if that key says so', async () => {
    const { before, after: rotated } = rotatedService(undefined);
    const did = 'did:web:letters.example';
    const present = movedIdentity(rotated, did);
    const origin = 'letters.example';
    const { dids, origins } = continuationsOf([before, rotated, present], origin, (keyId) =>
      ed25519FromSeed(
        Buffer.alloc(32, keyId.endsWith('-1') ? 1 : keyId === 'credential-2' ? 2 : 22),
      ),
    );
    const listing = answerOf(present, { dids, origins }, origin);
    const at = '2026-05-01T00:00:00.000Z';
    const byFirst = issued(before.did, firstKey, at);
    const bySecond = issued(rotated.did, secondKey, '2026-07-01T00:00:00.000Z');
    expect(await told(byFirst, listing)).to.equal('accepted');
    expect(await told(bySecond, listing)).to.equal('accepted');
    const late = issued(before.did, firstKey, '2026-10-01T00:00:00.000Z');
    expect(await told(late, listing)).to.contain('dated after its key was retired');

    // Neither can claim the other alone.
    const elsewhere = continuationsOf(
      [before, { ...present, did: 'did:web:elsewhere.example' }],
      origin,
      () => firstKey,
    );
    const ofOther = continuationsOf([before, present], origin, () => secondKey);
    for (const wrong of [
      { former_dids: [] },
      { former_dids: undefined },
      { former_dids: 'x' },
      { former_dids: [{ did: before.did }] },
      { former_dids: [{ did: before.did, statement: 'a.b.c' }] },
      { former_dids: elsewhere.dids },
      { former_dids: ofOther.dids.map((one) => ({ ...one, did: before.did })) },
      { former_dids: origins.map(({ statement }) => ({ did: before.did, statement })) },
      { retired_keys: [], didDocument: { id: did } },
      { retired_keys: listing.retired_keys.map((key) => ({ ...key, revoked: true })) },
    ]) {
      const answer = { ...listing, ...wrong } as unknown as Issuer;
      expect(await told(byFirst, answer), JSON.stringify(wrong)).not.to.equal('accepted');
    }
  });

  it('does not accept what others signed, although the service names their keys as its own', async () => {
    const { before: stranger } = rotatedService(undefined);
    const at = '2026-05-01T00:00:00.000Z';
    const genuine = issued(stranger.did, firstKey, at);
    const web = 'did:web:elsewhere.example';
    const forged = credentialOf(web, `${web}#k`, secondKey, at);
    const [retired] = answer.retired_keys.filter(({ purpose }) => purpose === 'credential');
    const naming = (kid: string, { multikey }: Key) =>
      ({
        ...answer,
        retired_keys: [{ ...retired, kid, publicKeyMultibase: multikey }],
      }) as AnswerOf<'service_did'>;
    const kid = `${stranger.did}#${firstKey.multikey}`;
    expect(await told(genuine, naming(kid, firstKey))).to.contain(`not by ${after.did}`);
    expect(await told(forged, naming(`${web}#k`, secondKey))).to.contain(`not by ${after.did}`);
  });

  it('accepts what a service signed as a former did:web only with the document of that DID', async () => {
    const { after: web } = rotatedService('did:web:letters.example');
    const present = answerOf(movedIdentity(web, 'did:web:post.example'));
    const genuine = issued(web.did, secondKey, '2026-07-01T00:00:00.000Z');
    expect(await told(genuine, present)).to.contain('not by did:web:post.example');
    const former = documentIn(answerOf(web));
    expect(await told(genuine, former)).to.equal('accepted');
    const kid = kidOfKey(web.did, secondKey);
    const forged = credentialOf(web.did, kid, firstKey, '2026-07-01T00:00:00.000Z');
    expect(await told(forged, former)).to.contain('its signature does not fit');
  });

  it('publishes no statement of a revoked key, nor about a former did:web', () => {
    const { after: web } = rotatedService('did:web:letters.example');
    const present = movedIdentity(web, 'did:web:post.example');
    const of = (history: ServiceIdentity[]) =>
      continuationsOf(history, 'post.example', () => firstKey);
    expect(of([web, present]).dids).to.deep.equal([]);
    expect(of([web, present]).origins.map(({ origin }) => origin)).to.deep.equal([
      'letters.example',
    ]);
    const { before } = rotatedService(undefined);
    const keys = present.keys.map((key) => ({ ...key, state: 'revoked' as const }));
    const revoked = of([before, { ...present, keys }]);
    expect(revoked).to.deep.equal({ dids: [], origins: [] });
  });

  it('publishes the origin of the log of a service at a bare IP address, and no other', () => {
    const { before } = rotatedService(undefined);
    const at = (address: string) => ({
      ...before,
      credentialSchema: `${address}/schemas/event-credential.v1`,
    });
    const ofLog = (history: ServiceIdentity[], origin: string) =>
      continuationsOf(history, origin, () => firstKey).origins.map((one) => one.origin);
    const ip = at('https://203.0.113.5:8443/post');
    expect(ofLog([ip], '203.0.113.5:8443/post')).to.deep.equal([]);
    const web = { ...before, did: 'did:web:letters.example' };
    expect(ofLog([ip, web], 'letters.example')).to.deep.equal(['203.0.113.5:8443/post']);
    const local = at('http://localhost:3000');
    expect(ofLog([local], '203.0.113.5')).to.deep.equal(['letters.local']);
    expect(ofLog([before, web], 'letters.example')).to.deep.equal(['letters.local']);
  });

  it('refuses anything that does not have the form of a credential or of a document', async () => {
    const at = '2026-10-01T00:00:00.000Z';
    const genuine = issued(after.did, secondKey, at);
    const kid = kidOfKey(after.did, secondKey);
    const payload = JSON.parse(Buffer.from(genuine.split('.')[1] ?? '', 'base64url').toString());
    const written = (text: string) => {
      const head = Buffer.from(JSON.stringify({ alg: 'EdDSA', kid, typ: 'JWT' }));
      const signing = `${head.toString('base64url')}.${Buffer.from(text).toString('base64url')}`;
      return `${signing}.${Buffer.from(secondKey.sign(signing)).toString('base64url')}`;
    };
    expect(await told(written(JSON.stringify(payload)), answer)).to.equal('accepted');
    const wrong = [{ nbf: '1' }, { exp: true }, { vc: [] }];
    for (const subject of [null, [], ['x'], 'x'])
      wrong.push({ vc: { credentialSubject: subject } } as never);
    for (const one of wrong) {
      const jwt = written(JSON.stringify({ ...payload, ...one }));
      expect(await told(jwt, answer), JSON.stringify(one)).to.match(/^The credential is not valid/);
    }
    expect(await told(written(`\ufeff${JSON.stringify(payload)}`), answer)).to.contain('no JWT');

    const odd = [null, true, 1, 'x', [], [null], [[]], [{}], {}, { id: 'x' }];
    const method = (documentIn(answer).verificationMethod ?? []).map((one) => ({
      ...one,
      revoked: at,
    }));
    const documents = [
      ...odd.flatMap((one) => [
        { ...documentIn(answer), verificationMethod: one },
        { ...documentIn(answer), assertionMethod: one },
        { ...answer, didDocument: one },
      ]),
      { ...documentIn(answer), verificationMethod: method },
      ...odd,
    ];
    for (const document of documents) {
      const outcome = await told(genuine, document as unknown as Issuer);
      expect(outcome, JSON.stringify(document)).to.match(/^The credential is not valid/);
    }
    for (const one of odd) {
      const others = { ...answer, retired_keys: one, former_dids: one } as unknown as Issuer;
      expect(await told(genuine, others)).to.equal('accepted');
    }
  });

  it('accepts a credential only in canonical base64url', async () => {
    const genuine = issued(after.did, secondKey, '2026-10-01T00:00:00.000Z');
    expect(await told(genuine, answer)).to.equal('accepted');
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet.indexOf(genuine.at(-1) ?? '');
    for (const more of [1, 2, 15]) {
      const otherwise = genuine.slice(0, -1) + alphabet[last + more];
      expect(await told(otherwise, answer)).not.to.equal('accepted');
    }
    expect(await told(`${genuine}==`, answer)).not.to.equal('accepted');
  });
});
