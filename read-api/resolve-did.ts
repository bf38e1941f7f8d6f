import { AppError, type ErrorCode } from '../contract/errors.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { sentence } from '../ground/sentence.ts';
import { Type } from '../ground/type.ts';
import type { DidErrorCode } from '../identity/did.ts';
import {
  type DidResolution,
  didMediaTypes,
  failedResolution,
  type Resolver,
} from '../identity/resolver.ts';
import { callerRefOf } from '../limits/turn.ts';
import { DidDocument, DidResolved, presentResolution } from '../presenters/did.ts';

const resolutionTypes = ['application/did-resolution', 'application/json', 'application/ld+json'];

/**
 * The HTTP face of each error. Nothing that a caller names makes a 500: a document of another host that
 * is not valid is 502, where the DID Resolution binding says 500.
 */
const faces: Record<DidErrorCode, ErrorCode> = {
  invalidDid: 'invalid_did',
  invalidDidUrl: 'invalid_did_url',
  invalidPublicKey: 'invalid_did',
  invalidPublicKeyLength: 'invalid_did',
  unsupportedPublicKeyType: 'did_not_supported',
  methodNotSupported: 'did_not_supported',
  unsupportedNetwork: 'did_not_supported',
  notFound: 'did_not_found',
  deactivated: 'did_deactivated',
  representationNotSupported: 'not_acceptable',
  invalidDidDocument: 'did_document_invalid',
  internalError: 'overloaded',
};

const toAppError = (resolution: DidResolution): AppError => {
  const { error = 'internalError', errorMessage = '' } = resolution.didResolutionMetadata;
  const code = faces[error];
  return new AppError(code, sentence(errorMessage), {
    extra: { ...resolution },
    headers: code === 'overloaded' ? { 'Retry-After': '1' } : undefined,
  });
};

/**
 * Turns refusals of the kernel into a failed resolution. Refusals that are not about the DID stay as they
 * are.
 */
const refusal = (error: AppError): AppError => {
  if (error.code === 'invalid_encoding') {
    return toAppError(
      failedResolution('invalidDid', 'the path is not percent-encoded UTF-8; encode the DID in it'),
    );
  }
  if (error.code === 'not_found') {
    return toAppError(failedResolution('invalidDid', 'the path contains no DID'));
  }
  if (error.code === 'not_acceptable') {
    return toAppError(failedResolution('representationNotSupported', error.message));
  }
  return error;
};

const prefix = '/api/identity/resolve/';
/** A did:web whose colons were sent as they are: then a `%3A` is its own, before the port. */
const unencodedPort = /^did:web:[^:%/]+%3[Aa]\d+(?=:|$)/;

/**
 * The DID in a path. Callers should send `encodeURIComponent(did)`; a did:web with a port that was put in
 * without is understood, too, with a warning.
 */
export const didInPath = (path: string): { did: string; warning?: string } => {
  const sent = path.slice(prefix.length);
  const [start] = unencodedPort.exec(sent) ?? [];
  if (start === undefined) return { did: decodeURIComponent(sent) };
  return {
    did: start + decodeURIComponent(sent.slice(start.length)),
    warning: 'The DID was not percent-encoded in the path. Send encodeURIComponent(did).',
  };
};

export const resolveDidOperation = (resolver: Resolver): AnyOperation =>
  operation({
    name: 'resolve_did',
    method: 'GET',
    path: '/api/identity/resolve/{did}',
    tag: 'Identity',
    summary: 'Resolve a did:key, did:pkh or did:web to its document',
    description:
      'DID Resolution over HTTP. `Accept: application/did` (or `did+json`, `did+ld+json`) returns the document alone. Errors are problem documents with `didResolutionMetadata.error`.',
    access: 'public',
    input: {
      params: Type.Object({
        did: Type.String({ description: 'The DID, percent-encoded: `encodeURIComponent(did)`.' }),
      }),
    },
    responses: {
      200: {
        description: 'The resolution, or the document alone',
        schema: Type.Union([DidResolved, DidDocument]),
        produces: [...resolutionTypes, ...didMediaTypes],
      },
    },
    errors: [
      'invalid_did',
      'invalid_did_url',
      'did_not_found',
      'did_deactivated',
      'did_not_supported',
      'did_document_invalid',
      'overloaded',
    ],
    refusal,
    async handle({ path, accept, caller, address }) {
      const { did, warning } = didInPath(path);
      const bare = didMediaTypes.includes(accept);
      const resolution = await resolver.resolve(did, {
        accept: bare ? accept : undefined,
        by: callerRefOf(caller, address),
      });
      const { didDocument } = resolution;
      if (didDocument === null) throw toAppError(resolution);
      const headers = { 'Content-Type': accept };
      if (bare) return { body: didDocument, headers };
      return { body: presentResolution(resolution, warning), headers };
    },
  });
