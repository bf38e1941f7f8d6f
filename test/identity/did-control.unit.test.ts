import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { AppError } from '../../contract/errors.ts';
import { controlFinding, provable } from '../../identity/did-control.ts';
import type { DidDocument } from '../../identity/did-document.ts';
import { ed25519FromSeed } from '../../identity/keys.ts';
import { failedResolution, type Resolver } from '../../identity/resolver.ts';

const now = Date.parse('2026-03-01T12:00:00.000Z');
const did = 'did:web:agent.example';
const key = ed25519FromSeed(randomBytes(32));

const knowing = (document: DidDocument): Resolver => ({
  resolve: async (asked) =>
    asked === document.id
      ? { didDocument: document, didResolutionMetadata: {}, didDocumentMetadata: {} }
      : failedResolution('notFound', 'nothing is there'),
});

const documentOf = (more: object = {}, relationship = 'authentication'): DidDocument => ({
  id: did,
  verificationMethod: [
    {
      id: `${did}#1`,
      type: 'Multikey',
      controller: did,
      publicKeyMultibase: key.multikey,
      ...more,
    },
  ],
  [relationship]: ['#1'],
});

describe('control of a did:web', () => {
  const prove = async (document: DidDocument, signature: string): Promise<string | undefined> => {
    const by = await provable(knowing(document), did, now);
    return 'finding' in by ? by.finding : controlFinding(by, 'the challenge', signature);
  };
  const signature = key.sign('the challenge').toString('base64url');

  it('is proved by a key that its document names for authentication', async () => {
    expect(await prove(documentOf(), signature)).to.equal(undefined);
  });

  it('is not proved by a key for another purpose, a retired or a revoked one', async () => {
    const none = /names no key for authentication/;
    expect(await prove(documentOf({}, 'assertionMethod'), signature)).to.match(none);
    expect(await prove(documentOf({ revoked: '2027-01-01T00:00:00Z' }), signature)).to.match(none);
    expect(await prove(documentOf({ expires: '2026-01-01T00:00:00Z' }), signature)).to.match(none);
    expect(await prove(documentOf({ controller: 'did:web:mallory.example' }), signature)).to.match(
      none,
    );
  });

  it('is not proved by another signature', async () => {
    const other = key.sign('another challenge').toString('base64url');
    expect(await prove(documentOf(), other)).to.match(/not one of challenge/);
    expect(await prove(documentOf(), `${signature}=`)).to.match(/base64url without padding/);
  });

  it('cannot be proved while the document cannot be fetched', async () => {
    const by = await provable(knowing(documentOf()), 'did:web:other.example', now);
    expect(by).to.deep.equal({ finding: 'nothing is there' });
  });

  it('is neither proved nor refused while the service is too busy to fetch the document', async () => {
    const resolve = async () => failedResolution('internalError', 'too many are being fetched');
    const asked = await provable({ resolve }, did, now).catch((error: Error) => error);
    expect(asked)
      .to.be.instanceOf(AppError)
      .with.include({ code: 'overloaded' })
      .and.property('message')
      .to.equal('The DID cannot be resolved at the moment: too many are being fetched.');
  });
});
