/**
 * Resolves DIDs. did:key and did:pkh follow from their text, a did:web is fetched and kept for a while,
 * and the service's own DID is answered from what it knows.
 * Source: W3C DID Resolution 1.0, `resolve`; its error codes in the spelling of DID resolution clients.
 */
import { AppError } from '../contract/errors.ts';
import { createBoundedMap } from '../ground/bounded-map.ts';
import { type Did, DidError, type DidErrorCode, parseDid } from './did.ts';
import type { DidDocument } from './did-document.ts';
import { didKeyDocument } from './did-key.ts';
import { didWebUrl, readDidWebDocument } from './did-web.ts';

export type DidResolution = {
  didDocument: DidDocument | null;
  didResolutionMetadata: {
    contentType?: string;
    /** RFC 3339 UTC. */
    retrieved?: string;
    duration_ms?: number;
    cached?: boolean;
    error?: DidErrorCode;
    errorMessage?: string;
    problemDetails?: { type: string; title: string; detail: string };
  };
  didDocumentMetadata: { deactivated?: boolean };
};

/** The caller that a DID is resolved for; absent: the service itself. */
type ResolvedFor = { account?: string | undefined; address?: string | undefined } | undefined;

export type ResolverPorts = {
  /**
   * The text at the https address of a did:web, fetched within the share of the caller.
   * @throws DidError notFound, deactivated, invalidDidDocument, internalError (not to be remembered)
   */
  fetchDocument: (url: string, by?: ResolvedFor) => Promise<string>;
  /** The document of a DID of the service itself. */
  own: (did: string) => DidDocument | undefined;
  /** Milliseconds since 1970. */
  clock: () => number;
};

export type Resolver = {
  /**
   * Never throws because of a DID or its host: the error is in the answer.
   * @param options.accept media type of the document; none: any
   */
  resolve(did: string, options?: { accept?: string; by?: ResolvedFor }): Promise<DidResolution>;
};

/** The media types that a document is given in. They differ in name only. */
export const didMediaTypes = ['application/did', 'application/did+json', 'application/did+ld+json'];

const foundForMs = 5 * 60_000;
const failedForMs = 30_000;
/** Characters. In memory a document takes several times its text. */
const maxCachedChars = 4 * 1_024 * 1_024;
/** The cost of an answer apart from its document, in the cache: at most a thousand answers are kept. */
const charsPerAnswer = Math.floor(maxCachedChars / 1_000);

const titles: Record<DidErrorCode, [uri: string, title: string]> = {
  invalidDid: ['INVALID_DID', 'Invalid DID'],
  invalidDidUrl: ['INVALID_DID_URL', 'Invalid DID URL'],
  invalidPublicKey: ['INVALID_PUBLIC_KEY', 'Invalid public key'],
  invalidPublicKeyLength: ['INVALID_PUBLIC_KEY_LENGTH', 'Invalid length of the public key'],
  unsupportedPublicKeyType: ['UNSUPPORTED_PUBLIC_KEY_TYPE', 'Unsupported type of public key'],
  methodNotSupported: ['METHOD_NOT_SUPPORTED', 'DID method not supported'],
  unsupportedNetwork: ['METHOD_NOT_SUPPORTED', 'Network of the did:pkh not supported'],
  notFound: ['NOT_FOUND', 'DID not found'],
  deactivated: ['NOT_FOUND', 'DID deactivated'],
  representationNotSupported: ['REPRESENTATION_NOT_SUPPORTED', 'Representation not supported'],
  invalidDidDocument: ['INVALID_DID_DOCUMENT', 'Invalid DID document'],
  internalError: ['INTERNAL_ERROR', 'Internal error'],
};

/** An answer without a document. */
export const failedResolution = (code: DidErrorCode, detail: string): DidResolution => {
  const [uri, title] = titles[code];
  return {
    didDocument: null,
    didResolutionMetadata: {
      error: code,
      errorMessage: detail,
      problemDetails: { type: `https://www.w3.org/ns/did#${uri}`, title, detail },
    },
    didDocumentMetadata: code === 'deactivated' ? { deactivated: true } : {},
  };
};

/**
 * For those who judge a DID: that this service is too busy to fetch a document says nothing about the DID.
 * @throws AppError overloaded
 */
export const assertNotBusy = ({ didResolutionMetadata }: DidResolution): void => {
  const { error, errorMessage } = didResolutionMetadata;
  if (error !== 'internalError') return;
  const detail = `The DID cannot be resolved at the moment: ${errorMessage}.`;
  throw new AppError('overloaded', detail, { headers: { 'Retry-After': '1' } });
};

/** `chars`: size of the document's text. */
type Outcome = { document: DidDocument; chars: number } | { error: DidError };
type Cached = { outcome: Promise<Outcome>; until: number; chars: number };

const isTransient = (outcome: Outcome): boolean =>
  'error' in outcome && outcome.error.code === 'internalError';

/** Documents of did:web by DID. */
const createWebCache = ({ fetchDocument, clock }: ResolverPorts) => {
  const cache = createBoundedMap<string, Cached>(
    maxCachedChars,
    ({ chars }) => charsPerAnswer + chars,
  );

  const fetchOutcome = async (did: string, url: string, by: ResolvedFor): Promise<Outcome> => {
    try {
      const text = await fetchDocument(url, by);
      return { document: readDidWebDocument(did, text), chars: text.length };
    } catch (error) {
      if (error instanceof DidError) return { error };
      throw error;
    }
  };

  const keep = (did: string, entry: Cached, outcome: Outcome): void => {
    if (cache.get(did) !== entry) return;
    if (isTransient(outcome)) {
      cache.delete(did);
      return;
    }
    const found = 'document' in outcome;
    entry.until = clock() + (found ? foundForMs : failedForMs);
    entry.chars = found ? outcome.chars : 0;
    cache.set(did, entry);
  };

  /** One fetch per DID at a time for all callers. @throws DidError invalidDid */
  return async (parsed: Did, by: ResolvedFor): Promise<{ outcome: Outcome; cached: boolean }> => {
    const { did } = parsed;
    const url = didWebUrl(parsed);
    const known = cache.get(did);
    if (known !== undefined && known.until > clock()) {
      return { outcome: await known.outcome, cached: true };
    }
    cache.delete(did);
    const outcome = fetchOutcome(did, url, by);
    const entry: Cached = { outcome, until: Number.POSITIVE_INFINITY, chars: 0 };
    cache.set(did, entry);
    try {
      keep(did, entry, await outcome);
    } catch (error) {
      cache.delete(did);
      throw error;
    }
    return { outcome: await outcome, cached: false };
  };
};

export const createResolver = (ports: ResolverPorts): Resolver => {
  const { own, clock } = ports;
  const fromWeb = createWebCache(ports);

  /** @throws DidError */
  const documentOf = async (
    text: string,
    by: ResolvedFor,
  ): Promise<{ document: DidDocument; cached: boolean }> => {
    const parsed = parseDid(text);
    const document = own(parsed.did);
    if (document !== undefined) return { document, cached: false };
    if (parsed.method === 'key') return { document: didKeyDocument(parsed), cached: false };
    if (parsed.method === 'pkh') {
      // Its libraries are large, and few services ever see one.
      const { didPkhDocument } = await import('./did-pkh.ts');
      return { document: didPkhDocument(parsed), cached: false };
    }
    if (parsed.method !== 'web') {
      throw new DidError(
        'methodNotSupported',
        `the method "${parsed.method.slice(0, 40)}" is not resolved here; did:key, did:pkh and did:web are`,
      );
    }
    const { outcome, cached } = await fromWeb(parsed, by);
    if ('error' in outcome) throw outcome.error;
    return { document: outcome.document, cached };
  };

  return {
    async resolve(did, { accept, by } = {}) {
      const startedAt = clock();
      if (accept !== undefined && !didMediaTypes.includes(accept)) {
        return failedResolution(
          'representationNotSupported',
          `a DID document is given as ${didMediaTypes.join(', ')}`,
        );
      }
      try {
        const { document, cached } = await documentOf(did, by);
        const now = clock();
        return {
          didDocument: document,
          didResolutionMetadata: {
            contentType: accept ?? 'application/did',
            retrieved: new Date(now).toISOString(),
            duration_ms: Math.max(0, Math.round(now - startedAt)),
            cached,
          },
          didDocumentMetadata: {},
        };
      } catch (error) {
        if (error instanceof DidError) return failedResolution(error.code, error.message);
        throw error;
      }
    },
  };
};
