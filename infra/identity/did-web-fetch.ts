/** Fetches DID documents from wherever callers name, by the rules of `safe-fetch` and stricter ones. */

import { DidError } from '../../identity/did.ts';
import { createFairShares } from '../../limits/fair-shares.ts';
import { defaultLimits } from '../../limits/table.ts';
import { type CallerRef, partyOf } from '../../limits/turn.ts';
import type { Workers } from '../../limits/workers.ts';
import { OutboundError, type OutboundErrorCode } from '../fetch/outbound-error.ts';
import { createSafeFetch, type SafeFetchOptions } from '../fetch/safe-fetch.ts';

const connectTimeoutMs = 2_000;
const timeoutMs = 5_000;
const maxBytes = 64 * 1_024;

const accept = 'application/did+json, application/did+ld+json, application/did, application/json';
const jsonTypes = /^application\/(?:json|ld\+json|did|did\+json|did\+ld\+json)\s*(?:;|$)/i;

const utf8 = new TextDecoder('utf-8', { fatal: true });

const tooBusy = (): DidError =>
  new DidError('internalError', 'too many DID documents are being fetched; retry soon');

/** A host that answered, but not with a document; of all other failures nothing is there. */
const wrongAnswers: OutboundErrorCode[] = ['too_large', 'bad_response'];

const toDidError = (error: OutboundError): DidError => {
  if (error.status === 410) return new DidError('deactivated', 'its host says that it is gone');
  const code = wrongAnswers.includes(error.code) ? 'invalidDidDocument' : 'notFound';
  return new DidError(code, error.message);
};

const readText = (contentType: string | undefined, body: Buffer): string => {
  if (!jsonTypes.test(contentType ?? '')) {
    throw new DidError('invalidDidDocument', 'what lies at the did:web has no JSON media type');
  }
  try {
    return utf8.decode(body);
  } catch {
    throw new DidError('invalidDidDocument', 'what lies at the did:web is not UTF-8');
  }
};

/**
 * @param options for tests and development only; see `createSafeFetch`
 * @returns `fetchDocument` of the resolver's ports: no redirect, 2 s to connect, 5 s in all, 64 KiB, JSON,
 * at most 32 at a time, which callers share, public addresses only
 */
export const createDidWebFetch = (
  turnOf: Workers['turnOf'],
  options: Pick<
    SafeFetchOptions,
    'allowPrivate' | 'ca' | 'resolve' | 'isPublic' | 'timeoutMs'
  > = {},
) => {
  const fetch = createSafeFetch({
    timeoutMs,
    connectTimeoutMs,
    maxBytes,
    maxRedirects: 0,
    ...options,
  });
  const shares = createFairShares(defaultLimits.didFetches);
  const read = async (url: string): Promise<string> => {
    try {
      const { headers, body } = await fetch.get(url, { accept });
      return readText(headers['content-type'], body);
    } catch (error) {
      if (error instanceof OutboundError) throw toDidError(error);
      throw error;
    }
  };
  return {
    /** @throws DidError notFound, deactivated, invalidDidDocument, internalError when too busy */
    async fetchDocument(url: string, by?: CallerRef): Promise<string> {
      const party = partyOf(await turnOf(by));
      return shares.ifFree(() => read(url), tooBusy, party);
    },
    close: () => fetch.close(),
  };
};
