import { expect } from 'chai';
import fc from 'fast-check';
import { parseDid } from '../../identity/did.ts';
import {
  type DidDocument,
  findVerificationKey,
  type VerificationMethod,
} from '../../identity/did-document.ts';
import { didKeyDocument } from '../../identity/did-key.ts';
import { toBase58 } from '../../identity/encoding.ts';
import {
  algOf,
  ed25519FromSeed,
  publicJwk,
  publicKeyFromMultikey,
  verifySignature,
} from '../../identity/keys.ts';
import {
  type IdentityKey,
  type ServiceIdentity,
  serviceDidDocument,
  serviceKid,
} from '../../identity/service-document.ts';

const keyOf = (n: number) => ed25519FromSeed(Buffer.alloc(32, n));
const did = 'did:web:example.com';
const signer = keyOf(1);
const base: VerificationMethod = {
  id: `${did}#a`,
  type: 'Multikey',
  controller: did,
  publicKeyMultibase: signer.multikey,
};
const documentOf = (method: object, more: object = {}): DidDocument => ({
  id: did,
  verificationMethod: [{ ...base, ...method }],
  assertionMethod: ['#a'],
  ...more,
});
const find = (document: DidDocument, kid: string | undefined = '#a', signedAtMs?: number) =>
  findVerificationKey(document, kid, 'assertionMethod', signedAtMs);
const reasonOf = (found: ReturnType<typeof find>) =>
  found.publicKey === undefined ? found.reason : 'found';

describe('the key that a signature names', () => {
  const p256 = publicKeyFromMultikey('zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv');
  const p384 = publicKeyFromMultikey(
    'z82Lm1MpAkeJcix9K8TMiLd5NMAhnwkjjCBeWHXyu3U4oT2MVJJKXkcVBgjGhnLBn2Kaau9',
  );
  const k256 = publicKeyFromMultikey('zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQiYBme');
  const { publicKeyMultibase: _, ...bare } = base;
  const raw = toBase58(signer.publicKey.bytes);
  const jwk = publicJwk(signer.publicKey);

  const forms: [name: string, method: object, bytes: Buffer][] = [
    ['Multikey', base, signer.publicKey.bytes],
    ['JsonWebKey', { ...bare, type: 'JsonWebKey', publicKeyJwk: jwk }, signer.publicKey.bytes],
    ...[p256, p384, k256].map((key): [string, object, Buffer] => [
      `JsonWebKey2020 ${key.type}`,
      { ...bare, type: 'JsonWebKey2020', publicKeyJwk: publicJwk(key) },
      key.bytes,
    ]),
    [
      'Ed25519VerificationKey2018',
      { ...bare, type: 'Ed25519VerificationKey2018', publicKeyBase58: raw },
      signer.publicKey.bytes,
    ],
    [
      'Ed25519VerificationKey2018 with a JWK',
      { ...bare, type: 'Ed25519VerificationKey2018', publicKeyJwk: jwk },
      signer.publicKey.bytes,
    ],
    [
      'Ed25519VerificationKey2020',
      { ...base, type: 'Ed25519VerificationKey2020' },
      signer.publicKey.bytes,
    ],
  ];
  for (const [name, method, bytes] of forms) {
    it(`is read out of ${name}`, () => {
      const document = { id: did, verificationMethod: [method], assertionMethod: ['#a'] };
      const found = find(document as DidDocument);
      expect(reasonOf(found)).to.equal('found');
      expect(found.publicKey?.bytes.equals(bytes)).to.equal(true);
    });
  }

  it('verifies what its private part signed', () => {
    const { publicKey } = find(documentOf({}));
    if (publicKey === undefined) return expect.fail('no key');
    const signature = signer.sign('text');
    expect(verifySignature(publicKey, algOf(publicKey.type) ?? '', 'text', signature)).to.equal(
      true,
    );
    return undefined;
  });

  it('is found by its id in full, by fragment, or as the only one', () => {
    expect(reasonOf(find(documentOf({}), `${did}#a`))).to.equal('found');
    expect(reasonOf(find(documentOf({ id: '#a' }), `${did}#a`))).to.equal('found');
    expect(reasonOf(findVerificationKey(documentOf({}), undefined, 'assertionMethod'))).to.equal(
      'found',
    );
    const embedded = { id: did, assertionMethod: [base] };
    expect(reasonOf(find(embedded))).to.equal('found');
    const twice = documentOf({}, { assertionMethod: ['#a', `${did}#a`] });
    expect(reasonOf(find(twice))).to.equal('found');
  });

  const year = Date.parse('2026-01-01T00:00:00Z');
  const refused: [what: string, document: DidDocument, reason: string, signedAt?: number][] = [
    ['no such key', documentOf({ id: '#b' }), 'not_listed'],
    ['a key under another DID', documentOf({ id: 'did:web:evil.example#a' }), 'not_listed'],
    [
      'another purpose',
      documentOf({}, { assertionMethod: [], authentication: ['#a'] }),
      'wrong_relationship',
    ],
    [
      'a foreign controller',
      documentOf({ controller: 'did:web:evil.example' }),
      'controlled_by_another',
    ],
    ['an unknown type', documentOf({ type: 'RsaVerificationKey2018' }), 'unsupported_type'],
    [
      'a type named like a member of objects',
      documentOf({ type: 'constructor' }),
      'unsupported_type',
    ],
    [
      'a P-521 key',
      documentOf({
        publicKeyMultibase:
          'z2J9gaYxrKVpdoG9A4gRnmpnRCcxU6agDtFVVBVdn1JedouoZN7SzcyREXXzWgt3gGiwpoHq7K68X4m32D8HgzG8wv3sY5j7',
      }),
      'unsupported_type',
    ],
    ['no key', documentOf({ publicKeyMultibase: undefined }), 'invalid_key'],
    ['a key that is a number', documentOf({ publicKeyMultibase: 7 }), 'invalid_key'],
    [
      'a key of another type',
      documentOf({
        type: 'Ed25519VerificationKey2020',
        publicKeyMultibase: 'zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv',
      }),
      'invalid_key',
    ],
    [
      'a JWK with its private part',
      documentOf({ type: 'JsonWebKey', publicKeyJwk: { ...jwk, d: 'AAAA' } }),
      'invalid_key',
    ],
    [
      'a JWK for encryption',
      documentOf({ type: 'JsonWebKey', publicKeyJwk: { ...jwk, use: 'enc' } }),
      'invalid_key',
    ],
    [
      'a JWK of another curve',
      documentOf({ type: 'JsonWebKey', publicKeyJwk: { ...jwk, crv: 'X25519' } }),
      'invalid_key',
    ],
    [
      'a JWK whose y is of another point',
      documentOf({
        type: 'JsonWebKey',
        publicKeyJwk: { ...publicJwk(p256), y: publicJwk(p256).x },
      }),
      'invalid_key',
    ],
    [
      'a JWK with padding',
      documentOf({ type: 'JsonWebKey', publicKeyJwk: { ...jwk, x: `${jwk.x}=` } }),
      'invalid_key',
    ],
    [
      'the neutral point',
      documentOf({
        type: 'JsonWebKey',
        publicKeyJwk: { ...jwk, x: Buffer.from([1, ...Array(31).fill(0)]).toString('base64url') },
      }),
      'invalid_key',
    ],
    ['a revoked key', documentOf({ revoked: '2020-01-01T00:00:00Z' }), 'revoked'],
    [
      'a revoked key without a purpose',
      documentOf({ revoked: 'x' }, { assertionMethod: [] }),
      'revoked',
    ],
    ['a key that had expired', documentOf({ expires: '2025-12-31T23:59:59Z' }), 'expired', year],
    ['a key whose end is no instant', documentOf({ expires: 'soon' }), 'expired', year],
  ];
  for (const [what, document, reason, signedAt] of refused) {
    it(`is refused as ${reason}: ${what}`, () => {
      const found = find(document, '#a', signedAt);
      expect(reasonOf(found)).to.equal(reason);
      if (found.publicKey === undefined) expect(found.detail).to.be.a('string');
    });
  }

  it('is refused where none is named and there are two', () => {
    const two = documentOf({}, { assertionMethod: ['#a', { ...base, id: '#b' }] });
    expect(reasonOf(findVerificationKey(two, undefined, 'assertionMethod'))).to.equal('ambiguous');
    expect(reasonOf(find(two, '#b'))).to.equal('found');
  });

  it('still counts for what was signed before it expired', () => {
    const document = documentOf({ expires: '2026-01-01T00:00:00Z' });
    expect(reasonOf(find(document, '#a', year))).to.equal('found');
    expect(reasonOf(find(document, '#a', year + 1))).to.equal('expired');
  });

  it('is never a reason to throw, whatever the method holds', () => {
    fc.assert(
      fc.property(
        fc.record({
          type: fc.constantFrom('Multikey', 'JsonWebKey', 'Ed25519VerificationKey2018'),
          publicKeyMultibase: fc.oneof(
            fc.jsonValue(),
            fc.string().map((text) => `z${text}`),
          ),
          publicKeyBase58: fc.jsonValue(),
          publicKeyJwk: fc.oneof(
            fc.jsonValue(),
            fc.record({
              kty: fc.constantFrom('OKP', 'EC'),
              crv: fc.constantFrom('Ed25519', 'P-256', 'secp256k1'),
              x: fc.string(),
              y: fc.base64String(),
            }),
          ),
        }),
        (method) => {
          find(documentOf(method));
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe('the document of the service', () => {
  const at = '2026-01-01T00:00:00.000Z';
  const later = '2026-06-01T00:00:00.000Z';
  const key = (n: number, more: Partial<IdentityKey>): IdentityKey => ({
    keyId: `key-${n}`,
    purpose: 'credential',
    publicKey: keyOf(n).multikey,
    state: 'active',
    validFrom: at,
    ...more,
  });
  const keys = [
    key(1, { state: 'revoked', validUntil: later, trustedLogSize: 7 }),
    key(2, { state: 'retired', validUntil: later }),
    key(3, {}),
    key(4, { purpose: 'ucan' }),
    key(5, { purpose: 'ucan', state: 'retired', validUntil: later }),
    key(6, { purpose: 'log' }),
    key(7, { purpose: 'webhook' }),
  ];
  const identity: ServiceIdentity = { did: 'did:web:letters.example', keys };
  const id = (n: number) => `did:web:letters.example#key-${n}`;

  it('lists every key of a did:web, and what each may do', () => {
    const document = serviceDidDocument(identity);
    expect(document.id).to.equal('did:web:letters.example');
    expect(document.alsoKnownAs).to.deep.equal([keyOf(3).did]);
    expect(document.verificationMethod?.map((method) => method.id)).to.deep.equal(
      [1, 2, 3, 4, 5, 6, 7].map(id),
    );
    expect(document.verificationMethod?.[0]).to.deep.equal({
      id: id(1),
      type: 'Multikey',
      controller: 'did:web:letters.example',
      publicKeyMultibase: keyOf(1).multikey,
      revoked: later,
    });
    expect(document.verificationMethod?.[1]).to.include({ expires: later });
    expect(document.assertionMethod).to.deep.equal([id(2), id(3)]);
    expect(document.authentication).to.deep.equal([id(3)]);
    expect(document.capabilityInvocation).to.deep.equal([id(4)]);
    expect(document.capabilityDelegation).to.deep.equal([id(4), id(5)]);
  });

  it('lets old signatures of a retired key count, none of a revoked one', () => {
    const document = serviceDidDocument(identity);
    const before = Date.parse(later) - 1;
    expect(reasonOf(find(document, id(2), before))).to.equal('found');
    expect(reasonOf(find(document, id(2), before + 2))).to.equal('expired');
    expect(reasonOf(find(document, id(1), before))).to.equal('revoked');
    expect(reasonOf(find(document, id(6), before))).to.equal('wrong_relationship');
  });

  it('is the one that everybody derives where the service is a did:key', () => {
    const own = keyOf(3).did;
    const asKey = { did: own, keys };
    expect(serviceDidDocument(asKey)).to.deep.equal(didKeyDocument(parseDid(own)));
    const [, retired, active] = keys as [IdentityKey, IdentityKey, IdentityKey];
    expect(serviceKid(own, active)).to.equal(`${own}#${keyOf(3).multikey}`);
    expect(serviceKid(own, retired)).to.equal(`${keyOf(2).did}#${keyOf(2).multikey}`);
  });
});
