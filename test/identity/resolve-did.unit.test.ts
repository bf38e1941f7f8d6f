import { expect } from 'chai';
import { AppError } from '../../contract/errors.ts';
import type { OperationRequest } from '../../contract/operation.ts';
import { DidError, type DidErrorCode } from '../../identity/did.ts';
import { createResolver } from '../../identity/resolver.ts';
import { didInPath, resolveDidOperation } from '../../read-api/resolve-did.ts';

const answerTo = async (code: DidErrorCode): Promise<AppError> => {
  const { handle } = resolveDidOperation(
    createResolver({
      fetchDocument: async () => {
        throw new DidError(code, 'it is not there');
      },
      own: () => undefined,
      clock: Date.now,
    }),
  );
  const request = { path: '/api/identity/resolve/did:web:a.example', accept: 'application/did' };
  try {
    await handle(request as OperationRequest);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  return expect.fail('it was resolved');
};

describe('what a failed resolution is over HTTP', () => {
  const faces: [code: DidErrorCode, status: number][] = [
    ['notFound', 404],
    ['deactivated', 410],
    ['invalidDidDocument', 502],
    ['internalError', 503],
  ];
  for (const [code, status] of faces) {
    it(`${code} is ${status}`, async () => {
      const error = await answerTo(code);
      expect(error.status).to.equal(status);
      expect(error.message).to.equal('It is not there.');
      expect(error.extra).to.have.nested.property('didResolutionMetadata.error', code);
      expect(error.extra).to.have.property('didDocument', null);
    });
  }

  it('says of a deactivated DID that it is, and of a busy moment when to come back', async () => {
    const deactivated = await answerTo('deactivated');
    expect(deactivated.extra?.didDocumentMetadata).to.deep.equal({ deactivated: true });
    expect((await answerTo('internalError')).headers).to.deep.equal({ 'Retry-After': '1' });
  });
});

describe('the DID in a path', () => {
  const read: [sent: string, did: string, warned?: true][] = [
    ['did:key:z6Mk', 'did:key:z6Mk'],
    ['did%3Akey%3Az6Mk', 'did:key:z6Mk'],
    ['did%3Aweb%3Aa.example%253A8443%3Ab', 'did:web:a.example%3A8443:b'],
    ['did:web:a.example%253A8443', 'did:web:a.example%3A8443'],
    ['did:web:a.example%3A8443', 'did:web:a.example%3A8443', true],
    ['did:web:a.example%3a8443:b', 'did:web:a.example%3a8443:b', true],
    // All encoded: the digits are a path.
    ['did%3Aweb%3Aa.example%3A8443', 'did:web:a.example:8443'],
    ['did:web:a.example:8443', 'did:web:a.example:8443'],
    ['did:web:a.example%2Fb', 'did:web:a.example/b'],
  ];
  for (const [sent, did, warned = false] of read) {
    it(`${sent} is ${did}`, () => {
      const found = didInPath(`/api/identity/resolve/${sent}`);
      expect(found.did).to.equal(did);
      expect(found.warning !== undefined).to.equal(warned);
    });
  }
});
