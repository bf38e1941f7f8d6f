import { expect } from 'chai';
import { expectProblem, useService } from '../support/client.ts';

type Metadata = {
  contentType: string;
  retrieved: string;
  duration_ms: number;
  cached: boolean;
  warning?: string;
};
type Document = {
  id: string;
  alsoKnownAs?: string[];
  assertionMethod?: string[];
  verificationMethod?: { id: string; publicKeyMultibase: string }[];
};
type Resolution = {
  didDocument: Document;
  didResolutionMetadata: Metadata;
  didDocumentMetadata: object;
};
type ServiceDid = {
  did: string;
  didDocument: Document;
  did_key: string;
  kid: string;
  retired_keys: unknown[];
  checkpoint_origin: string;
  log_public_key: string;
  webhook_public_key: string;
  ucan_did: string;
};
type Failure = {
  detail: string;
  code: string;
  didDocument: null;
  didResolutionMetadata: { error: string; errorMessage: string; problemDetails: { type: string } };
};

const didKey = 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp';
const didPkh = 'did:pkh:eip155:1:0xb9c5714089478a327f09197987f16f9e5d936e8a';
const path = (did: string) => `/api/identity/resolve/${encodeURIComponent(did)}`;

describe('resolving DIDs over HTTP', () => {
  const { call } = useService();
  const resolve = <T = Resolution>(did: string, accept?: string) =>
    call<T>('GET', path(did), undefined, accept === undefined ? {} : { headers: { accept } });

  it('gives document and metadata of did:key and did:pkh, to anybody', async () => {
    for (const did of [didKey, didPkh]) {
      const { status, headers, body } = await resolve(did);
      expect(status).to.equal(200);
      expect(headers.get('content-type')).to.equal('application/did-resolution');
      expect(headers.get('access-control-allow-origin')).to.equal('*');
      expect(body.didDocument.id).to.equal(did);
      const { contentType, retrieved, duration_ms, cached } = body.didResolutionMetadata;
      expect({ contentType, cached }).to.deep.equal({
        contentType: 'application/did',
        cached: false,
      });
      expect(Date.parse(retrieved)).to.be.closeTo(Date.now(), 60_000);
      expect(duration_ms).to.be.within(0, 60_000);
      expect(body.didDocumentMetadata).to.deep.equal({});
    }
  });

  it('takes a DID whose colons are not encoded', async () => {
    const { status, body } = await call<Resolution>('GET', `/api/identity/resolve/${didKey}`);
    expect([status, body.didDocument.id]).to.deep.equal([200, didKey]);
    expect(body.didResolutionMetadata).not.to.have.property('warning');
  });

  it('gives the document alone where Accept asks for it', async () => {
    for (const type of ['application/did', 'application/did+json', 'application/did+ld+json']) {
      const { status, headers, body } = await resolve<Document>(didKey, type);
      expect([status, headers.get('content-type'), body.id]).to.deep.equal([200, type, didKey]);
    }
    for (const type of ['application/json', 'application/ld+json', 'application/did-resolution']) {
      const { headers, body } = await resolve(didKey, `${type}, text/html;q=0.5`);
      expect([headers.get('content-type'), body.didDocument.id]).to.deep.equal([type, didKey]);
    }
  });

  const failures: [did: string, status: number, code: string, error: string, uri: string][] = [
    ['notDid:key:z6Mk', 400, 'invalid_did', 'invalidDid', 'INVALID_DID'],
    [`did:key:-4:${didKey.slice(8)}`, 400, 'invalid_did', 'invalidDid', 'INVALID_DID'],
    ['did:key:@', 400, 'invalid_did', 'invalidDid', 'INVALID_DID'],
    ['did:key:zTjsVPtY', 400, 'invalid_did', 'invalidPublicKeyLength', 'INVALID_PUBLIC_KEY_LENGTH'],
    [`${didKey}/^bar^/?query=\`#a`, 400, 'invalid_did_url', 'invalidDidUrl', 'INVALID_DID_URL'],
    [`${didKey}#key`, 400, 'invalid_did', 'invalidDid', 'INVALID_DID'],
    ['did:key:z6Mk\0', 400, 'invalid_did', 'invalidDid', 'INVALID_DID'],
    [`did:key:z${'1'.repeat(5_000)}`, 400, 'invalid_did', 'invalidDid', 'INVALID_DID'],
    ['did:web:localhost%3A8443', 400, 'invalid_did', 'invalidDid', 'INVALID_DID'],
    [
      'did:web:169.254.169.254%2Flatest%2Fmeta-data',
      400,
      'invalid_did',
      'invalidDid',
      'INVALID_DID',
    ],
    ['did:web:nothing-here.invalid', 404, 'did_not_found', 'notFound', 'NOT_FOUND'],
    ['did:experimental:1', 501, 'did_not_supported', 'methodNotSupported', 'METHOD_NOT_SUPPORTED'],
    ['did:pkh:cosmos:c:a', 501, 'did_not_supported', 'unsupportedNetwork', 'METHOD_NOT_SUPPORTED'],
  ];
  for (const [did, status, code, error, uri] of failures) {
    it(`answers ${status} ${error} to ${JSON.stringify(did.slice(0, 60))}`, async () => {
      const answer = await resolve<Failure>(did);
      expectProblem(answer, status, code as 'invalid_did');
      const { didDocument, didResolutionMetadata, detail } = answer.body;
      expect(didDocument).to.equal(null);
      expect(didResolutionMetadata.error).to.equal(error);
      expect(didResolutionMetadata.problemDetails.type).to.equal(
        `https://www.w3.org/ns/did#${uri}`,
      );
      expect(detail).to.match(/^\S.*\.$/s);
    });
  }

  it('lets long DIDs through to be judged: BLS and RSA keys', async () => {
    const bls =
      'did:key:zUC7K4ndUaGZgV7Cp2yJy6JtMoUHY6u7tkcSYUvPrEidqBmLCTLmi6d5WvwnUqejscAkERJ3bfjEiSYtdPkRSE8kSa11hFBr4sTgnbZ95SJj19PN2jdvJjyzpSZgxkyyxNnBNnY';
    const long = `did:key:z4Mo${'a'.repeat(720)}`;
    for (const did of [bls, long]) {
      const answer = await resolve<Failure>(did);
      expectProblem(answer, 501, 'did_not_supported');
      expect(answer.body.didResolutionMetadata.error).to.equal('unsupportedPublicKeyType');
    }
  });

  it('says what is wrong in a sentence that names what it was given as it was given', async () => {
    for (const [did, detail] of [
      ['xyz', '"xyz" is not a DID; write it as did:method:identifier, e.g. did:key:z6Mk….'],
      ['did:key:z6Mk/a', '"did:key:z6Mk/a" is a DID URL; give the DID, did:key:z6Mk.'],
      ['did:foo:bar', 'The method "foo" is not resolved here; did:key, did:pkh and did:web are.'],
      ['did:pkh:cosmos:a:b', 'Of did:pkh, only eip155, solana, bip122, tezos are resolved.'],
    ]) {
      expect((await resolve<Failure>(did ?? '')).body.detail).to.equal(detail);
    }
  });

  it('answers a path that is not percent-encoding as an invalid DID', async () => {
    for (const raw of ['did:key:%zz', 'did:key:%ff', '%', 'did%3Aweb%3Aa.b%', '%00']) {
      const answer = await call<Failure>('GET', `/api/identity/resolve/${raw}`);
      expectProblem(answer, 400, 'invalid_did');
      expect(answer.body.didDocument).to.equal(null);
      expect(answer.body.didResolutionMetadata.error).to.equal('invalidDid');
    }
  });

  it('answers 406 in the form of DID resolution', async () => {
    const answer = await resolve<Failure>(didKey, 'text/html');
    expectProblem(answer, 406, 'not_acceptable');
    expect(answer.body.didDocument).to.equal(null);
    expect(answer.body.didResolutionMetadata.error).to.equal('representationNotSupported');
  });

  it('knows no DID with a slash in it, nor an empty one', async () => {
    for (const raw of ['', `${didKey}/path`]) {
      const answer = await call('GET', `/api/identity/resolve/${raw}`);
      expectProblem(answer, 404, 'not_found');
    }
  });
});

describe('the DID of a service without https', () => {
  const { call } = useService();

  it('is the did:key of the key that signs credentials', async () => {
    const { status, body } = await call<ServiceDid>('GET', '/api/identity/service-did');
    expect(status).to.equal(200);
    expect(body.did).to.match(/^did:key:z6Mk/);
    expect(body.did_key).to.equal(body.did);
    expect(body.kid).to.equal(`${body.did}#${body.did.slice('did:key:'.length)}`);
    expect(body.ucan_did)
      .to.match(/^did:key:z6Mk/)
      .and.not.equal(body.did);
    expect(body.log_public_key).to.match(/^z6Mk/);
    expect(body.webhook_public_key).to.match(/^z6Mk/);
    expect(body.retired_keys).to.deep.equal([]);
    expect(body.checkpoint_origin).to.equal('letters.local');
    const resolved = await call<Resolution>('GET', path(body.did));
    expect(resolved.body.didDocument).to.deep.equal(body.didDocument);
    expect(body.didDocument.assertionMethod).to.deep.equal([body.kid]);
  });

  it('has no did.json, and says where its document is', async () => {
    for (const at of ['/.well-known/did.json', '/did.json']) {
      const answer = await call('GET', at);
      const { detail } = expectProblem(answer, 404, 'did_not_found');
      expect(detail).to.contain('/api/identity/service-did');
    }
  });
});

describe('the DID of a service with https', () => {
  const { call } = useService({ BASE_URL: 'https://letters.example.com' });

  it('is a did:web whose document everybody may read', async () => {
    const service = await call<ServiceDid>('GET', '/api/identity/service-did');
    const { did, didDocument, did_key, kid } = service.body;
    expect(did).to.equal('did:web:letters.example.com');
    const { status, headers, body } = await call<Document>(
      'GET',
      '/.well-known/did.json',
      undefined,
      {
        headers: { origin: 'https://other.example' },
      },
    );
    expect(status).to.equal(200);
    expect(headers.get('access-control-allow-origin')).to.equal('*');
    const uncached = await call<Document>('GET', '/.well-known/did.json?t=1');
    expect(uncached.body, 'to a reader that avoids caches').to.deep.equal(body);
    expect(headers.get('content-type')).to.equal('application/json');
    expect(body).to.deep.equal(didDocument);
    expect(body.id).to.equal(did);
    expect(body.alsoKnownAs).to.deep.equal([did_key]);
    expect(body.verificationMethod).to.have.lengthOf(4);
    expect(body.assertionMethod).to.deep.equal([kid]);
    expect(service.body.checkpoint_origin).to.equal('letters.example.com');
  });

  it('is resolved here without asking its own host', async () => {
    const { status, body } = await call<Resolution>('GET', path('did:web:letters.example.com'));
    expect(status).to.equal(200);
    expect(body.didResolutionMetadata.cached).to.equal(false);
    expect(body.didDocument.verificationMethod).to.have.lengthOf(4);
  });

  it('has its document in one place', async () => {
    const { detail } = expectProblem(await call('GET', '/did.json'), 404, 'did_not_found');
    expect(detail).to.contain('https://letters.example.com/.well-known/did.json');
  });
});

describe('the DID of a service under a port and a path', () => {
  const { call } = useService({ BASE_URL: 'https://example.com:8443/letters' });

  it('names both, and has its document under the path', async () => {
    const { status, body } = await call<Document>('GET', '/did.json');
    expect(status).to.equal(200);
    expect(body.id).to.equal('did:web:example.com%3A8443:letters');
    const { detail } = expectProblem(
      await call('GET', '/.well-known/did.json'),
      404,
      'did_not_found',
    );
    expect(detail).to.contain('https://example.com:8443/letters/did.json');
    const info = await call<{ well_known: string[] }>('GET', '/');
    expect(info.body.well_known[0]).to.equal('https://example.com:8443/letters/did.json');
  });

  it('is understood encoded, and with a warning as it is', async () => {
    const did = 'did:web:example.com%3A8443:letters';
    const encoded = await call<Resolution>('GET', path(did));
    expect(encoded.body.didDocument.id).to.equal(did);
    expect(encoded.body.didResolutionMetadata).not.to.have.property('warning');
    const halfEncoded = await call<Resolution>(
      'GET',
      '/api/identity/resolve/did:web:example.com%253A8443:letters',
    );
    expect(halfEncoded.body.didDocument.id).to.equal(did);
    const raw = await call<Resolution>('GET', `/api/identity/resolve/${did}`);
    expect(raw.status).to.equal(200);
    expect(raw.body.didDocument.id).to.equal(did);
    expect(raw.body.didResolutionMetadata.warning).to.contain('encodeURIComponent');
  });
});
