import { createPrivateKey, generateKeyPairSync, hash, type KeyObject, sign } from 'node:crypto';
import { expect } from 'chai';
import {
  createVerifiableCredentialJwt,
  createVerifiablePresentationJwt,
  verifyCredential as verifyIndependently,
} from 'did-jwt-vc';
import { parseDid } from '../../identity/did.ts';
import type { DidDocument } from '../../identity/did-document.ts';
import { didKeyDocument } from '../../identity/did-key.ts';
import { parseJwt, signJwt } from '../../identity/jwt.ts';
import { ed25519FromSeed, multikeyOf, publicKeyOf, type SigningKey } from '../../identity/keys.ts';
import { leafHash } from '../../identity/merkle.ts';
import { serviceDidDocument } from '../../identity/service-document.ts';
import {
  type LogEntry,
  type OwnKey,
  type Verification,
  type VerifyPorts,
  verifyCredential,
} from '../../identity/verify-credential.ts';
import { issueEventCredential } from '../support/issue-credential.ts';

const seeded = (last: number): SigningKey => {
  const seed = Buffer.alloc(32);
  seed[31] = last;
  return ed25519FromSeed(seed);
};
const service = seeded(0);
const alice = seeded(1);
const mallory = seeded(2);
const webDid = 'did:web:letters.example';
const nowMs = Date.parse('2026-11-21T12:00:00.000Z');
const nowSeconds = nowMs / 1_000;
const v1 = 'https://www.w3.org/2018/credentials/v1';
const v2 = 'https://www.w3.org/ns/credentials/v2';

const kidOfKey = (key: SigningKey): string => `${key.did}#${key.multikey}`;

/** The service's facts: a did:web of two keys, and a log that tests fill. */
const createPorts = (change: Partial<OwnKey> = {}) => {
  const log = new Map<string, LogEntry>();
  const documents = new Map<string, DidDocument>();
  const spent = new Map<string, string>();
  const attested = new Set<unknown>();
  const own: OwnKey = {
    kid: `${webDid}#credential-1`,
    publicKey: service.multikey,
    state: 'active',
    ...change,
  };
  const ports: VerifyPorts = {
    nowMs,
    resolve: async (did) => {
      const known = documents.get(did);
      if (known) return { document: known };
      return did.startsWith('did:key:')
        ? { document: didKeyDocument(parseDid(did)) }
        : { detail: 'not found' };
    },
    ownKeys: (did) => (did === webDid ? [own] : undefined),
    async spendChallenge({ challenge, domain, holder, presentation }) {
      const answered = JSON.stringify([challenge, domain, holder]);
      const before = spent.get(answered) ?? presentation;
      spent.set(answered, before);
      return before === presentation;
    },
    logEntry: async (digest) => log.get(digest.toString('hex')),
    attestsAnew: async (_subject, jti) => attested.has(jti),
  };
  const enter = (jwt: string, logIndex = 0): string => {
    const entry = { logIndex, size: logIndex + 1, root: leafHash(jwt), path: [] };
    log.set(hash('sha256', jwt, 'hex'), entry);
    return jwt;
  };
  return { ports, documents, enter, attested };
};

const eventCredential = (
  at = '2026-11-20T10:00:00.123Z',
  issuer = webDid,
  kid = `${webDid}#credential-1`,
) =>
  issueEventCredential(
    {
      id: '0b6f3f2e-5c7e-4a57-9d42-7c6f0f1e2d3c',
      stream: 'letter-7c1e5b1c-8f3f-4c43-9d2e-51a4f4f7a001',
      version: 0n,
      type: 'LetterQueued',
      data: {
        terms: { accountId: 'acct_1', test: false, service: 'de_standardbrief', country: 'DE' },
      },
      at,
      hash: 'h'.repeat(43),
    },
    { logIndex: 0, previous: undefined, account: { customer: alice.did } as never },
    { did: issuer, kid, sign: service.sign },
  ).jwt;

const failedCodes = ({ checks }: Verification): string[] =>
  checks.filter(({ ok }) => !ok).map(({ name, code }) => `${name} ${code}`);

type Change = { header?: object; payload?: object; vc?: object; key?: SigningKey };

/** A right VC 1.1 by Alice, with the changes. */
const credentialBy = ({ header, payload, vc, key = alice }: Change = {}): string =>
  signJwt(
    { alg: 'EdDSA', typ: 'JWT', kid: kidOfKey(alice), ...header },
    {
      iss: alice.did,
      sub: 'did:example:subject',
      nbf: nowSeconds - 100,
      vc: {
        '@context': [v1],
        type: ['VerifiableCredential'],
        credentialSubject: { id: 'did:example:subject', degree: 'none' },
        ...vc,
      },
      ...payload,
    },
    key.sign,
  );

const modern = (change: object = {}, header: object = {}): string =>
  signJwt(
    { alg: 'EdDSA', typ: 'vc+jwt', kid: kidOfKey(alice), ...header },
    {
      '@context': [v2],
      type: ['VerifiableCredential'],
      issuer: { id: alice.did, name: 'Alice' },
      validFrom: '2026-01-01T00:00:00Z',
      credentialSubject: { id: 'did:example:subject' },
      ...change,
    },
    alice.sign,
  );

describe('verifying a credential', () => {
  const { ports, documents, enter } = createPorts();
  const verify = (token: string) => verifyCredential(token, ports);

  it('refuses a holder without an id and a proof without a type', async () => {
    for (const change of [
      { holder: { name: 'Alice' } },
      { proof: {} },
      { proof: [{ type: '' }] },
    ]) {
      const codes = failedCodes(await verify(modern(change)));
      expect(codes, JSON.stringify(change)).to.deep.equal(['data_model malformed_document']);
    }
    const fine = modern({ holder: { id: alice.did }, proof: { type: 'DataIntegrityProof' } });
    expect((await verify(fine)).valid).to.equal(true);
  });

  it('accepts one of our own that is in the log, and says what was checked', async () => {
    const verified = await verify(enter(eventCredential()));
    expect(failedCodes(verified)).to.deep.equal([]);
    expect(verified.valid).to.equal(true);
    expect(verified.checks.map(({ name }) => name)).to.deep.equal([
      'format',
      'data_model',
      'issuer',
      'time',
      'status',
      'key',
      'signature',
      'key_validity',
      'log_inclusion',
    ]);
    expect(verified.issuer).to.equal(webDid);
    expect(verified.subject).to.equal('urn:uuid:7c1e5b1c-8f3f-4c43-9d2e-51a4f4f7a001');
    expect(verified.credential).to.include({ issuer: webDid });
  });

  it('does not accept one with our signature that is not in the log', async () => {
    const stolen = eventCredential('2026-11-20T10:00:00.999Z');
    expect(failedCodes(await verify(stolen))).to.deep.equal(['log_inclusion not_in_log']);
  });

  it('is agreed with by did-jwt-vc, for did:web and did:key', async () => {
    const resolver = {
      resolve: async (did: string) => ({
        didDocument: did.startsWith('did:key:')
          ? didKeyDocument(parseDid(did))
          : serviceDidDocument({
              did,
              keys: (['credential', 'ucan', 'log', 'webhook'] as const).map((purpose, n) => ({
                keyId: `${purpose}-1`,
                purpose,
                publicKey: seeded(n).multikey,
                state: 'active' as const,
                validFrom: '2026-01-01T00:00:00.000Z',
              })),
            }),
        didResolutionMetadata: { contentType: 'application/did' },
        didDocumentMetadata: {},
      }),
    };
    for (const jwt of [
      eventCredential(),
      eventCredential('2026-11-20T10:00:00.123Z', service.did, kidOfKey(service)),
    ]) {
      const verified = await verifyIndependently(jwt, resolver as never, {
        proofPurpose: 'assertionMethod',
        policies: { now: nowSeconds },
      });
      expect(verified.verified).to.equal(true);
      expect(verified.signer.id).to.equal(
        JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString()).kid,
      );
    }
  });

  it('accepts what did-jwt-vc makes, without a kid where there is one key only', async () => {
    const jwt = await createVerifiableCredentialJwt(
      {
        sub: 'did:example:subject',
        nbf: nowSeconds - 5,
        vc: { '@context': [v1], type: ['VerifiableCredential'], credentialSubject: { a: 1 } },
      },
      {
        did: alice.did,
        alg: 'EdDSA',
        signer: async (data) => alice.sign(data).toString('base64url'),
      },
    );
    const verified = await verify(jwt);
    expect(failedCodes(verified)).to.deep.equal([]);
    expect(verified).to.include({ valid: true, issuer: alice.did, subject: 'did:example:subject' });
  });

  it('accepts VC 1.1 and 2.0, and keys of every curve', async () => {
    expect(failedCodes(await verify(credentialBy()))).to.deep.equal([]);
    expect(failedCodes(await verify(modern()))).to.deep.equal([]);
    const curves = [
      ['P-256', 'prime256v1', 'ES256', 'sha256'],
      ['P-384', 'secp384r1', 'ES384', 'sha384'],
      ['secp256k1', 'secp256k1', 'ES256K', 'sha256'],
    ] as const;
    for (const [type, namedCurve, alg, digest] of curves) {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve }) as unknown as {
        publicKey: KeyObject;
        privateKey: KeyObject;
      };
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' }) as { x?: string; y?: string };
      const odd = (Buffer.from(y, 'base64url').at(-1) ?? 0) & 1;
      const multikey = multikeyOf(
        publicKeyOf(type, Buffer.concat([Buffer.of(2 + odd), Buffer.from(x, 'base64url')])),
      );
      const did = `did:key:${multikey}`;
      const token = signJwt(
        { alg, typ: 'vc+jwt', kid: `${did}#${multikey}` },
        {
          '@context': [v2],
          type: ['VerifiableCredential'],
          issuer: did,
          credentialSubject: { id: 'did:example:subject' },
        },
        (data) =>
          sign(digest, Buffer.from(data), {
            key: createPrivateKey(privateKey.export({ format: 'pem', type: 'pkcs8' })),
            dsaEncoding: 'ieee-p1363',
          }),
      );
      expect(failedCodes(await verify(token)), type).to.deep.equal([]);
    }
  });

  const hostile: [what: string, token: () => string, codes: string[]][] = [
    ['nothing', () => 'x', ['format malformed']],
    ['four parts', () => `${credentialBy()}.x`, ['format malformed']],
    ['padding', () => `${credentialBy()}=`, ['format malformed']],
    [
      'a key twice',
      () => {
        const [head, , tail] = credentialBy().split('.');
        const body = `{"iss":"${alice.did}","iss":"${mallory.did}","vc":{}}`;
        return [head, Buffer.from(body).toString('base64url'), tail].join('.');
      },
      ['format malformed'],
    ],
    ['alg none', () => credentialBy({ header: { alg: 'none' } }), ['signature unsupported_alg']],
    ['alg HS256', () => credentialBy({ header: { alg: 'HS256' } }), ['signature unsupported_alg']],
    ['another alg', () => credentialBy({ header: { alg: 'ES256' } }), ['signature signature']],
    [
      'alg Ed25519',
      () => credentialBy({ header: { alg: 'Ed25519' } }),
      ['signature unsupported_alg'],
    ],
    ['crit', () => credentialBy({ header: { crit: ['x'], x: 1 } }), ['format crit_not_supported']],
    ['b64', () => credentialBy({ header: { b64: false } }), ['format crit_not_supported']],
    ['a wrong typ', () => credentialBy({ header: { typ: 'bad+typ' } }), ['format wrong_typ']],
    ['a typ that is a number', () => credentialBy({ header: { typ: 1 } }), ['format wrong_typ']],
    ['1.1 called 2.0', () => credentialBy({ header: { typ: 'vc+jwt' } }), ['data_model wrapped']],
    ['2.0 called 1.1', () => modern({}, { typ: 'JWT' }), ['data_model no_credential']],
    [
      'a key in the header',
      () => credentialBy({ header: { jwk: { kty: 'OKP' } }, key: mallory }),
      ['signature signature'],
    ],
    [
      'the kid of another key',
      () => credentialBy({ header: { kid: kidOfKey(mallory) }, key: mallory }),
      ['key key_of_another'],
    ],
    [
      'a kid that the issuer does not list',
      () => credentialBy({ header: { kid: `${alice.did}#other` } }),
      ['key key_not_listed'],
    ],
    ['a kid that is no text', () => credentialBy({ header: { kid: 7 } }), ['key malformed']],
    ['a signature of another', () => credentialBy({ key: mallory }), ['signature signature']],
    [
      'an issuer beside iss',
      () => credentialBy({ payload: { issuer: webDid } }),
      ['issuer issuer_mismatch'],
    ],
    [
      'an issuer object in vc',
      () => credentialBy({ vc: { issuer: { id: webDid } } }),
      ['issuer issuer_mismatch'],
    ],
    [
      'self-issued',
      () => credentialBy({ payload: { iss: 'https://self-issued.me', did: alice.did } }),
      ['issuer issuer_not_a_did'],
    ],
    [
      'an iss with a path',
      () => credentialBy({ payload: { iss: `${alice.did}/x` } }),
      ['issuer issuer_not_a_did'],
    ],
    [
      'our DID as issuer, signed by another',
      () => credentialBy({ payload: { iss: webDid }, header: { kid: `${webDid}#credential-1` } }),
      ['signature signature'],
    ],
    [
      'our DID as issuer, by a key that is not ours',
      () => credentialBy({ payload: { iss: webDid } }),
      ['key unknown_key'],
    ],
    [
      'a subject beside vc',
      () => credentialBy({ payload: { credentialSubject: { id: 'did:example:other' } } }),
      ['data_model claim_outside'],
    ],
    [
      'another sub',
      () => credentialBy({ payload: { sub: 'did:example:other' } }),
      ['issuer subject_mismatch'],
    ],
    [
      'another id',
      () => credentialBy({ payload: { jti: 'urn:1' }, vc: { id: 'urn:2' } }),
      ['issuer id_mismatch'],
    ],
    [
      'another issuanceDate',
      () => credentialBy({ vc: { issuanceDate: '2020-01-01T00:00:00Z' } }),
      ['time time_mismatch'],
    ],
    ['no nbf', () => credentialBy({ payload: { nbf: undefined } }), ['time no_issuance_date']],
    [
      'exp as text',
      () => credentialBy({ payload: { exp: '9999999999' } }),
      ['time malformed_time'],
    ],
    ['exp 0', () => credentialBy({ payload: { exp: 0 } }), ['time expired']],
    [
      'expired 61 s ago',
      () => credentialBy({ payload: { exp: nowSeconds - 61 } }),
      ['time expired'],
    ],
    [
      'valid in two minutes',
      () => credentialBy({ payload: { nbf: nowSeconds + 120 } }),
      ['time not_yet_valid'],
    ],
    [
      '2.0 valid tomorrow by validFrom, today by nbf',
      () => modern({ nbf: nowSeconds - 9, validFrom: '2026-11-22T12:00:00Z' }),
      ['time not_yet_valid'],
    ],
    [
      '2.0 over by validUntil',
      () => modern({ validUntil: '2026-11-20T12:00:00+02:00' }),
      ['time expired'],
    ],
    ['a date that is a word', () => modern({ validFrom: 'yesterday' }), ['time malformed_time']],
    ['2.0 with vc', () => modern({ vc: {} }), ['data_model wrapped']],
    ['2.0 with another iss', () => modern({ iss: mallory.did }), ['issuer issuer_mismatch']],
    ['2.0 in the context of 1.1', () => modern({ '@context': [v1] }), ['data_model wrong_context']],
    ['2.0 without the type', () => modern({ type: ['X'] }), ['data_model wrong_type']],
    ['2.0 about nothing', () => modern({ credentialSubject: [] }), ['data_model no_subject']],
    [
      'a status of any type',
      () => credentialBy({ vc: { credentialStatus: { type: 'Unknown2030', id: 'x:1' } } }),
      ['status status_not_verified'],
    ],
    [
      'an issuer that is nowhere',
      () =>
        credentialBy({ payload: { iss: 'did:web:nowhere.example' }, header: { kid: undefined } }),
      ['key issuer_not_resolved'],
    ],
    [
      'a payload a thousand deep',
      () => {
        let deep: object = {};
        for (let n = 0; n < 1_000; n++) deep = [deep];
        return credentialBy({ vc: { deep } });
      },
      ['format malformed'],
    ],
  ];

  for (const [what, token, codes] of hostile) {
    it(`refuses ${what}: ${codes.join(', ')}`, async () => {
      const verified = await verify(token());
      expect(failedCodes(verified)).to.deep.equal(codes);
      expect(verified.valid).to.equal(false);
    });
  }

  it('gives nothing of a credential whose signature does not hold', async () => {
    const { issuer, subject, credential } = await verify(credentialBy({ key: mallory }));
    expect([issuer, subject, credential]).to.deep.equal([null, null, null]);
  });

  it('refuses a key that the document lists for authentication only', async () => {
    const did = 'did:web:other.example';
    documents.set(did, {
      id: did,
      verificationMethod: [
        {
          id: `${did}#k`,
          type: 'Multikey',
          controller: did,
          publicKeyMultibase: alice.multikey,
        },
      ],
      authentication: [`${did}#k`],
    });
    const token = credentialBy({ payload: { iss: did }, header: { kid: `${did}#k` } });
    expect(failedCodes(await verify(token))).to.deep.equal(['key key_wrong_relationship']);
  });

  it('is never satisfied with a credential of which a byte was changed', async () => {
    const right = enter(eventCredential());
    const bytes = Buffer.from(right);
    let seed = 7;
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
      return seed % below;
    };
    for (let n = 0; n < 5_000; n++) {
      const place = random(bytes.length);
      const flipped = Buffer.from(bytes);
      flipped[place] = (flipped[place] as number) ^ (1 + random(255));
      const { valid } = await verify(flipped.toString());
      expect(valid, `byte ${place}`).to.equal(false);
    }
    expect((await verify(right)).valid).to.equal(true);
  });
});

describe('verifying what a former key signed', () => {
  const at = '2026-11-20T10:00:00.000Z';
  const codesOf = async (change: Partial<OwnKey>, logIndex: number) => {
    const { ports, enter } = createPorts(change);
    return failedCodes(await verifyCredential(enter(eventCredential(at), logIndex), ports));
  };
  const size = 1;

  it('accepts a retired key up to its end, with five minutes for the clocks', async () => {
    const retired = (validUntil: string) => codesOf({ state: 'retired', validUntil }, 0);
    expect(await retired('2026-11-20T10:00:01.000Z')).to.deep.equal([]);
    expect(await retired('2026-11-20T09:55:00.000Z')).to.deep.equal([]);
    expect(await retired('2026-11-20T09:54:59.000Z')).to.deep.equal(['key_validity key_retired']);
  });

  it('accepts a revoked key below the trusted size of the log only', async () => {
    const revoked = (trustedLogSize: number) =>
      codesOf({ state: 'revoked', validUntil: '2026-11-20T12:00:00.000Z', trustedLogSize }, 0);
    expect(await revoked(size)).to.deep.equal([]);
    expect(await revoked(0)).to.deep.equal(['key_validity key_revoked']);
    expect(await codesOf({ state: 'revoked' }, 0)).to.deep.equal(['key_validity key_revoked']);
  });

  it('accepts what a revoked key signed when it is in the log and attested anew', async () => {
    const { ports, enter, attested } = createPorts({ state: 'revoked', trustedLogSize: 0 });
    const genuine = eventCredential(at);
    attested.add(parseJwt(genuine, { maxBytes: 10_000 }).payload.jti);
    expect(failedCodes(await verifyCredential(genuine, ports))).to.deep.equal([
      'key_validity key_revoked',
      'log_inclusion not_in_log',
    ]);
    expect(failedCodes(await verifyCredential(enter(genuine), ports))).to.deep.equal([]);
  });

  it('does not accept a revoked key for what is in no log', async () => {
    const { ports } = createPorts({ state: 'revoked', trustedLogSize: 1_000 });
    expect(failedCodes(await verifyCredential(eventCredential(at), ports))).to.deep.equal([
      'key_validity key_revoked',
      'log_inclusion not_in_log',
    ]);
  });
});

describe('verifying a presentation', () => {
  const { ports, enter } = createPorts();
  const mine = enter(eventCredential());
  const presentationOf = (tokens: unknown[], change: object = {}, key = alice): string =>
    signJwt(
      { alg: 'EdDSA', typ: 'JWT', kid: kidOfKey(key) },
      {
        iss: key.did,
        nbf: nowSeconds - 5,
        exp: nowSeconds + 500,
        nonce: 'n-1',
        aud: ['verifier.example'],
        vp: { '@context': [v1], type: ['VerifiablePresentation'], verifiableCredential: tokens },
        ...change,
      },
      key.sign,
    );
  const verify = (token: string, expected = {}) => verifyCredential(token, ports, expected);

  it('accepts credentials whose customer is the holder', async () => {
    const verified = await verify(presentationOf([mine]), {
      challenge: 'n-1',
      domain: 'verifier.example',
    });
    expect(failedCodes(verified)).to.deep.equal([]);
    expect(verified).to.include({ valid: true, issuer: alice.did });
    expect(verified.credentials?.map(({ valid }) => valid)).to.deep.equal([true]);
  });

  it('accepts one that did-jwt-vc made', async () => {
    const token = await createVerifiablePresentationJwt(
      {
        vp: { '@context': [v1], type: ['VerifiablePresentation'], verifiableCredential: [mine] },
        nbf: nowSeconds,
        exp: nowSeconds + 60,
      },
      {
        did: alice.did,
        alg: 'EdDSA',
        signer: async (data) => alice.sign(data).toString('base64url'),
      },
      { challenge: 'c' },
    );
    expect(failedCodes(await verify(token, { challenge: 'c' }))).to.deep.equal([]);
  });

  it('accepts a credential about the holder that did-jwt-vc made, which names its subject as sub only', async () => {
    const signer = async (data: string | Uint8Array) => alice.sign(data).toString('base64url');
    const madeFor = (id: string) =>
      createVerifiableCredentialJwt(
        {
          '@context': [v1],
          type: ['VerifiableCredential'],
          issuer: { id: alice.did },
          issuanceDate: new Date(nowMs - 100_000).toISOString(),
          credentialSubject: { id, degree: 'none' },
        },
        { did: alice.did, alg: 'EdDSA', signer },
      );
    const own = await madeFor(alice.did);
    const { payload } = parseJwt(own, { maxBytes: 10_000 });
    expect(payload.vc).to.have.deep.property('credentialSubject', { degree: 'none' });
    const verified = await verify(presentationOf([own]));
    expect(failedCodes(verified)).to.deep.equal([]);
    const [inside] = verified.credentials ?? [];
    const credentialSubject = { id: alice.did, degree: 'none' };
    expect(inside?.credential).to.deep.include({ credentialSubject });
    expect(failedCodes(await verify(presentationOf([await madeFor(mallory.did)])))).to.deep.equal([
      'holder_binding not_the_holders',
    ]);
  });

  it('accepts a presentation of VC 2.0', async () => {
    const inside = modern({ credentialSubject: { id: alice.did } });
    const token = signJwt(
      { alg: 'EdDSA', typ: 'vp+jwt', kid: kidOfKey(alice) },
      {
        '@context': [v2],
        type: 'VerifiablePresentation',
        exp: nowSeconds + 60,
        verifiableCredential: [
          {
            '@context': v2,
            type: 'EnvelopedVerifiableCredential',
            id: `data:application/vc+jwt,${inside}`,
          },
        ],
      },
      alice.sign,
    );
    expect(failedCodes(await verify(token))).to.deep.equal([]);
  });

  it('refuses one that has no end, or lasts longer than one occasion', async () => {
    const codes = async (change: object) =>
      failedCodes(await verify(presentationOf([mine], change)));
    expect(await codes({ exp: undefined })).to.deep.equal(['time no_expiry']);
    expect(await codes({ exp: nowSeconds + 3_600 })).to.deep.equal(['time lasts_too_long']);
    const old = { nbf: nowSeconds - 3_600, exp: nowSeconds + 60 };
    expect(await codes(old)).to.deep.equal(['time lasts_too_long']);
  });

  it('refuses a challenge that was answered before, and lets a bad answer use none up', async () => {
    const { ports, enter } = createPorts();
    const ask = (jwt: string, wanted: object) => verifyCredential(jwt, ports, wanted);
    enter(mine);
    const token = presentationOf([mine]);
    const occasion = { challenge: 'n-1', domain: 'verifier.example' };
    const forged = `${token.slice(0, -4)}AAAA`;
    expect((await ask(forged, occasion)).valid).to.equal(false);
    expect((await ask(token, occasion)).valid).to.equal(true);
    // The answer got lost: the same presentation is answered the same.
    expect((await ask(token, occasion)).valid).to.equal(true);
    const other = presentationOf([mine], { jti: 'urn:uuid:other' });
    expect(failedCodes(await ask(other, occasion))).to.deep.equal(['challenge challenge_used']);
  });

  it('lets no stranger use up the challenge that a holder was given', async () => {
    const { ports, enter } = createPorts();
    const ask = (jwt: string, wanted: object) => verifyCredential(jwt, ports, wanted);
    enter(mine);
    const occasion = { challenge: 'n-1', domain: 'verifier.example' };
    const own = modern({ credentialSubject: { id: mallory.did } });
    expect((await ask(presentationOf([own], {}, mallory), occasion)).valid).to.equal(true);
    expect((await ask(presentationOf([mine]), occasion)).valid).to.equal(true);
  });

  it('takes the word customer for the holder in our own credentials only', async () => {
    const foreign = modern({ credentialSubject: { customer: mallory.did } });
    expect(failedCodes(await verify(presentationOf([foreign], {}, mallory)))).to.include(
      'holder_binding not_the_holders',
    );
  });

  it('refuses a forged credential inside, and says which', async () => {
    const forged = `${mine.slice(0, -4)}AAAA`;
    const verified = await verify(presentationOf([mine, forged]));
    expect(verified.valid).to.equal(false);
    expect(verified.credentials?.map(({ valid }) => valid)).to.deep.equal([true, false]);
    expect(failedCodes(verified)).to.include('credentials credential_invalid');
  });

  it('refuses an expired credential inside', async () => {
    const expired = credentialBy({ payload: { exp: nowSeconds - 100 } });
    expect(failedCodes(await verify(presentationOf([expired])))).to.include(
      'credentials credential_invalid',
    );
  });

  it('refuses the credentials of somebody else', async () => {
    expect(failedCodes(await verify(presentationOf([mine], {}, mallory)))).to.deep.equal([
      'holder_binding not_the_holders',
    ]);
  });

  it('refuses another holder, a presentation inside, unsigned credentials and none', async () => {
    const vp = (verifiableCredential: unknown[], more = {}) => ({
      vp: { '@context': [v1], type: ['VerifiablePresentation'], verifiableCredential, ...more },
    });
    const codes = async (change: object) => failedCodes(await verify(presentationOf([], change)));
    expect(await codes(vp([mine], { holder: webDid }))).to.deep.equal(['issuer holder_mismatch']);
    expect(await codes(vp([presentationOf([mine])]))).to.include('credentials credential_invalid');
    expect(await codes(vp([{ type: 'VerifiableCredential' }]))).to.deep.equal([
      'credentials unsecured_credential',
    ]);
    expect(await codes(vp([]))).to.deep.equal(['credentials no_credentials']);
    expect(await codes(vp(Array.from({ length: 51 }, () => mine)))).to.deep.equal([
      'credentials too_many_credentials',
    ]);
  });

  it('refuses another occasion', async () => {
    const token = presentationOf([mine]);
    expect(failedCodes(await verify(token, { challenge: 'n-2' }))).to.deep.equal([
      'challenge challenge_mismatch',
    ]);
    expect(failedCodes(await verify(token, { domain: 'other.example' }))).to.deep.equal([
      'audience wrong_audience',
    ]);
    expect(failedCodes(await verify(mine, { challenge: 'n-1' }))).to.deep.equal([
      'challenge no_presentation',
    ]);
    expect(failedCodes(await verify(mine, { domain: 'verifier.example' }))).to.deep.equal([
      'audience no_presentation',
    ]);
    const late = presentationOf([mine], { exp: nowSeconds - 100 });
    expect(failedCodes(await verify(late))).to.deep.equal(['time expired']);
  });
});

describe('the form of a credential', () => {
  const codes = async (token: string) =>
    failedCodes(await verifyCredential(token, createPorts().ports));

  it('is named where it is another one than a JWT, with what to send instead', async () => {
    const document = { '@context': [v2], type: ['VerifiableCredential'] };
    const withProof = JSON.stringify({ ...document, proof: { type: 'DataIntegrityProof' } });
    for (const [token, sentence] of [
      [withProof, /^this is JSON, .* proof\.jwt of a JwtProof2020/],
      [` [${withProof}]`, /^this is JSON/],
      [`${modern()}~WyJzYWx0IiwiYSIsMV0~`, /^this is an SD-JWT/],
      ['a b.c.d', /not canonical/],
    ] as const) {
      const { valid, checks } = await verifyCredential(token, createPorts().ports);
      expect(valid).to.equal(false);
      expect(checks).to.have.length(1);
      expect(checks[0]).to.include({ name: 'format', ok: false, code: 'malformed' });
      expect(checks[0]?.detail).to.match(sentence);
    }
  });

  it('is what VC 1.1 demands', async () => {
    expect(await codes(credentialBy())).to.deep.equal([]);
    const typeless = { id: 'https://a.example/1' };
    const wrong: object[] = [
      { '@context': v1 },
      { '@context': [v1, 7] },
      { type: ['VerifiableCredential', 7] },
      { credentialSchema: typeless },
      { credentialSchema: { type: 'JsonSchema' } },
      { credentialSchema: { id: 'no url', type: 'JsonSchema' } },
      { credentialStatus: { type: 'StatusList' } },
      { evidence: [{ id: 'https://a.example/1' }] },
      { termsOfUse: {} },
      { credentialSubject: { id: 'somebody' } },
    ];
    for (const vc of wrong) {
      const found = await codes(credentialBy({ payload: { sub: undefined }, vc }));
      expect(found[0], JSON.stringify(vc)).to.match(
        /^data_model (malformed_document|wrong_context)$/,
      );
    }
    const nothing = credentialBy({ payload: { sub: undefined }, vc: { credentialSubject: {} } });
    expect(await codes(nothing)).to.deep.equal(['data_model no_subject']);
  });

  it('is what VC 2.0 demands', async () => {
    expect((await codes(modern())).join()).not.to.match(/data_model/);
    for (const change of [
      { id: ['https://a.example/1', 'https://a.example/2'] },
      { credentialSchema: { type: 'JsonSchema' } },
      { evidence: ['seen'] },
    ]) {
      expect(await codes(modern(change))).to.deep.equal(['data_model malformed_document']);
    }
  });
});
