import { generateKeyPairSync, sign as signBytes } from 'node:crypto';
import { expect } from 'chai';
import { createJWT, verifyJWT } from 'did-jwt';
import { Resolver as DidResolver } from 'did-resolver';
import { DidError } from '../../identity/did.ts';
import { ed25519FromSeed, multikeyOf, publicKeyOf } from '../../identity/keys.ts';
import { createResolver, type ResolverPorts } from '../../identity/resolver.ts';

const did = 'did:web:example.com';
const documentText = (more: object = {}) => JSON.stringify({ id: did, ...more });

const setUp = (ports: Partial<ResolverPorts> = {}) => {
  const world = { nowMs: Date.parse('2026-01-01T00:00:00Z'), fetched: [] as string[] };
  const { fetchDocument = async () => documentText(), ...rest } = ports;
  const resolver = createResolver({
    fetchDocument: (url) => {
      world.fetched.push(url);
      return fetchDocument(url);
    },
    own: () => undefined,
    clock: () => world.nowMs,
    ...rest,
  });
  return { world, ...resolver };
};

const failing = (code: ConstructorParameters<typeof DidError>[0]) => async () => {
  throw new DidError(code, 'nothing there');
};

describe('the resolver', () => {
  it('tells about a did:key what DID resolution asks for', async () => {
    const key = ed25519FromSeed(Buffer.alloc(32, 9));
    const { didDocument, didResolutionMetadata, didDocumentMetadata } = await setUp().resolve(
      key.did,
    );
    expect(didDocument?.id).to.equal(key.did);
    expect(didResolutionMetadata).to.deep.equal({
      contentType: 'application/did',
      retrieved: '2026-01-01T00:00:00.000Z',
      duration_ms: 0,
      cached: false,
    });
    expect(didDocumentMetadata).to.deep.equal({});
  });

  it('has errors in both spellings, and no document', async () => {
    const { resolve } = setUp();
    const answer = await resolve('did:experimental:1');
    expect(answer.didDocument).to.equal(null);
    expect(answer.didResolutionMetadata.error).to.equal('methodNotSupported');
    expect(answer.didResolutionMetadata.problemDetails).to.include({
      type: 'https://www.w3.org/ns/did#METHOD_NOT_SUPPORTED',
    });
    expect(answer.didResolutionMetadata.errorMessage).to.equal(
      answer.didResolutionMetadata.problemDetails?.detail,
    );
    const unreadable = await resolve(did, { accept: 'text/html' });
    expect(unreadable.didResolutionMetadata.error).to.equal('representationNotSupported');
  });

  it('says in which media type it was asked for the document', async () => {
    const answer = await setUp().resolve(did, { accept: 'application/did+ld+json' });
    expect(answer.didResolutionMetadata.contentType).to.equal('application/did+ld+json');
  });

  it('keeps a did:web for five minutes', async () => {
    const { world, resolve } = setUp();
    expect((await resolve(did)).didResolutionMetadata.cached).to.equal(false);
    world.nowMs += 5 * 60_000 - 1;
    const again = await resolve(did);
    expect(again.didResolutionMetadata.cached).to.equal(true);
    expect(again.didDocument).to.deep.equal({ id: did });
    expect(world.fetched).to.deep.equal(['https://example.com/.well-known/did.json']);
    world.nowMs += 1;
    expect((await resolve(did)).didResolutionMetadata.cached).to.equal(false);
    expect(world.fetched).to.have.lengthOf(2);
  });

  it('keeps a failure for thirty seconds', async () => {
    for (const code of ['notFound', 'deactivated', 'invalidDidDocument'] as const) {
      const { world, resolve } = setUp({ fetchDocument: failing(code) });
      await resolve(did);
      world.nowMs += 29_999;
      expect((await resolve(did)).didResolutionMetadata.error).to.equal(code);
      expect(world.fetched).to.have.lengthOf(1);
      world.nowMs += 1;
      await resolve(did);
      expect(world.fetched).to.have.lengthOf(2);
    }
  });

  it('keeps no failure of its own', async () => {
    const { world, resolve } = setUp({ fetchDocument: failing('internalError') });
    await resolve(did);
    expect((await resolve(did)).didResolutionMetadata.error).to.equal('internalError');
    expect(world.fetched).to.have.lengthOf(2);
  });

  it('fetches a did:web once for all who ask at the same time', async () => {
    const { promise, resolve: answer } = Promise.withResolvers<string>();
    const { world, resolve } = setUp({ fetchDocument: () => promise });
    const asked = Array.from({ length: 20 }, () => resolve(did));
    answer(documentText());
    const answers = await Promise.all(asked);
    expect(answers.map(({ didDocument }) => didDocument?.id)).to.deep.equal(Array(20).fill(did));
    expect(world.fetched).to.have.lengthOf(1);
  });

  it('keeps a thousand DIDs, the newest', async () => {
    const { world, resolve } = setUp({ fetchDocument: failing('notFound') });
    for (let n = 0; n <= 1_000; n += 1) await resolve(`did:web:n${n}.example.com`);
    await resolve('did:web:n1000.example.com');
    await resolve('did:web:n1.example.com');
    expect(world.fetched).to.have.lengthOf(1_001);
    await resolve('did:web:n0.example.com');
    expect(world.fetched).to.have.lengthOf(1_002);
  });

  it('keeps four megabytes of documents', async () => {
    const { world, resolve } = setUp({
      fetchDocument: async (url) =>
        JSON.stringify({ id: `did:web:${new URL(url).host}`, x: 'a'.repeat(60_000) }),
    });
    for (let n = 0; n < 100; n += 1) await resolve(`did:web:n${n}.example.com`);
    await resolve('did:web:n99.example.com');
    expect(world.fetched).to.have.lengthOf(100);
    const first = await resolve('did:web:n0.example.com');
    expect(first.didDocument?.id).to.equal('did:web:n0.example.com');
    expect(world.fetched).to.have.lengthOf(101);
  });

  it('answers the own DID without asking anybody', async () => {
    const own = { id: 'did:web:localhost%3A8443' };
    const { world, resolve } = setUp({ own: (asked) => (asked === own.id ? own : undefined) });
    expect((await resolve(own.id)).didDocument).to.equal(own);
    expect(world.fetched).to.deep.equal([]);
  });

  it('gives nothing away of a document of another DID', async () => {
    const secret = async () => '{"AccessKeyId":"ASIA","SecretAccessKey":"secret"}';
    const answer = await setUp({ fetchDocument: secret }).resolve(did);
    expect(answer.didResolutionMetadata.error).to.equal('notFound');
    expect(JSON.stringify(answer)).not.to.match(/ASIA|secret/i);
  });
});

describe('the resolver and did-jwt', () => {
  const { resolve } = setUp();
  type DidJwtOptions = NonNullable<Parameters<typeof verifyJWT>[1]>;
  // The packages' types of documents differ in what they let a verification method hold.
  type Resolve = NonNullable<ConstructorParameters<typeof DidResolver>[0]>[string];
  const key = ((asked) => resolve(asked)) as Resolve;
  const resolver = new DidResolver({ key }) as unknown as DidJwtOptions['resolver'];

  const verify = async (
    issuer: string,
    alg: 'EdDSA' | 'ES256' | 'ES256K',
    sign: (data: string) => Buffer,
  ) => {
    const jwt = await createJWT(
      { hello: 'world' },
      { issuer, alg, signer: async (data) => sign(String(data)).toString('base64url') },
      { alg },
    );
    return verifyJWT(jwt, { resolver, proofPurpose: 'assertionMethod' });
  };

  it('let a JWT by an Ed25519 did:key be verified by did-jwt', async () => {
    const key = ed25519FromSeed(Buffer.alloc(32, 3));
    const verified = await verify(key.did, 'EdDSA', key.sign);
    expect(verified.verified).to.equal(true);
    expect(verified.signer.id).to.equal(`${key.did}#${key.multikey}`);
  });

  for (const [curve, type, alg] of [
    ['P-256', 'P-256', 'ES256'],
    ['secp256k1', 'secp256k1', 'ES256K'],
  ] as const) {
    it(`let a JWT by a did:key of ${curve} be verified by did-jwt`, async () => {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: curve });
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
      const odd = (Buffer.from(y, 'base64url').at(-1) ?? 0) & 1;
      const bytes = Buffer.concat([Buffer.from([2 + odd]), Buffer.from(x, 'base64url')]);
      const issuer = `did:key:${multikeyOf(publicKeyOf(type, bytes))}`;
      const verified = await verify(issuer, alg, (data) =>
        signBytes('sha256', Buffer.from(data), { key: privateKey, dsaEncoding: 'ieee-p1363' }),
      );
      expect(verified.verified).to.equal(true);
    });
  }

  it('let did-jwt refuse a signature by another key', async () => {
    const key = ed25519FromSeed(Buffer.alloc(32, 3));
    const other = ed25519FromSeed(Buffer.alloc(32, 4));
    const error = await verify(key.did, 'EdDSA', other.sign).catch((reason: Error) => reason);
    expect(error).to.be.instanceOf(Error);
  });
});
