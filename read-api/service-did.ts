import { AppError } from '../contract/errors.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import type { Clock } from '../ground/clock.ts';
import type { Continuations } from '../identity/continuation.ts';
import { DidError, parseDid } from '../identity/did.ts';
import type { DidDocument as Document } from '../identity/did-document.ts';
import { didWebUrl } from '../identity/did-web.ts';
import type { Resolver } from '../identity/resolver.ts';
import { type ServiceIdentity, serviceDidDocument } from '../identity/service-document.ts';
import { DidDocument, presentServiceDid, ServiceDid } from '../presenters/did.ts';
import { resolveDidOperation } from './resolve-did.ts';

type DidPorts = {
  /** The service's identity in force. */
  identity: () => ServiceIdentity;
  clock: Clock;
  resolver: Resolver;
  /** Name of the log, the first line of its checkpoints. */
  checkpointOrigin: string;
  /** Statements about its earlier names. */
  continuations: () => Continuations;
};

/** Where the document of a did:web lies; undefined for other DIDs and for hosts without a domain. */
export const documentUrlOf = (did: string): string | undefined => {
  try {
    return didWebUrl(parseDid(did));
  } catch (error) {
    if (error instanceof DidError) return undefined;
    throw error;
  }
};

const documentAt = (identity: ServiceIdentity, isHere: (path: string) => boolean): Document => {
  const { did } = identity;
  const url = documentUrlOf(did);
  if (url !== undefined && isHere(new URL(url).pathname)) return serviceDidDocument(identity);
  const where =
    url === undefined
      ? 'GET /api/identity/service-did has its document; with an https BASE_URL it is a did:web'
      : `its document is at ${url}`;
  throw new AppError('did_not_found', `The DID of this service is ${did}; ${where}.`);
};

const wellKnown = '/.well-known/did.json';

/** The document of a did:web: every site may read it, independent of the CORS settings of the service. */
const didJsonOperation = (
  { identity }: DidPorts,
  about: Pick<AnyOperation, 'name' | 'path' | 'summary' | 'description'> & {
    isHere: (path: string) => boolean;
  },
): AnyOperation =>
  operation({
    name: about.name,
    method: 'GET',
    path: about.path,
    tag: 'Identity',
    summary: about.summary,
    description: about.description,
    access: 'public',
    ignoresQuery: true,
    input: {},
    responses: { 200: { description: 'DID document', schema: DidDocument } },
    errors: ['did_not_found'],
    handle: () => ({
      body: documentAt(identity(), about.isHere),
      headers: { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'public, max-age=60' },
    }),
  });

export const didOperations = (ports: DidPorts): AnyOperation[] => [
  resolveDidOperation(ports.resolver),
  operation({
    name: 'service_did',
    method: 'GET',
    path: '/api/identity/service-did',
    tag: 'Identity',
    summary: "Get the service's DID, its document and its keys",
    description:
      'This is the root of trust: it lists the current and earlier keys that sign credentials, checkpoints, webhooks and UCAN roots.',
    access: 'public',
    input: {},
    responses: { 200: { description: 'DID, document and keys', schema: ServiceDid } },
    errors: [],
    handle: () => ({
      body: presentServiceDid(
        ports.identity(),
        ports.checkpointOrigin,
        ports.clock(),
        ports.continuations(),
      ),
    }),
  }),
  didJsonOperation(ports, {
    name: 'did_json',
    path: wellKnown,
    summary: "Document of the service's did:web",
    description:
      'Resolvers of did:web read it to find the keys of the service. It is 404 unless BASE_URL is an https address without a path.',
    isHere: (path) => path === wellKnown,
  }),
  didJsonOperation(ports, {
    name: 'did_json_under_path',
    path: '/did.json',
    summary: "Document of the service's did:web, where BASE_URL has a path",
    description:
      'Resolvers of did:web read it below the path of BASE_URL to find the keys of the service. It is 404 when BASE_URL has no path or is not an https address.',
    isHere: (path) => path !== wellKnown,
  }),
];
