/**
 * did:web: where its document lies, and whether what was found there is one.
 * Source: the did:web method specification of W3C CCG (which forbids IP addresses); stricter wherever a
 * DID could otherwise name a place inside of somebody's network.
 */
import { type Did, DidError } from './did.ts';
import { type DidDocument, documentFault } from './did-document.ts';
import { hasDuplicateKeys } from './jwt.ts';

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const hostPattern = new RegExp(`^${label}(?:\\.${label})+$`);
/** A last label that the URL standard takes for a part of an IPv4 address. */
const numericLabel = /^(?:\d+|0x[0-9a-f]*)$/;
const segmentPattern = /^[A-Za-z0-9._-]+$/;

const refuse = (message: string): never => {
  throw new DidError('invalidDid', message);
};

const assertHost = (host: string): void => {
  const last = host.split('.').at(-1) ?? '';
  if (host.length > 253 || !hostPattern.test(host) || numericLabel.test(last)) {
    refuse('the host of a did:web is a full domain name, no IP address, e.g. did:web:example.com');
  }
};

const assertPort = (port: string): void => {
  const number = Number(port);
  if (!/^[1-9]\d*$/.test(port) || number > 65_535 || (number !== 443 && number < 1_024)) {
    refuse('the port of a did:web is 443 or one from 1024 to 65535');
  }
};

const assertSegment = (segment: string): void => {
  if (!segmentPattern.test(segment) || segment === '.' || segment === '..') {
    refuse('a path segment of a did:web is made of letters, digits, ".", "_" and "-"');
  }
};

/** The address of a did:web's document. @throws DidError invalidDid */
export const didWebUrl = ({ method, id }: Did): string => {
  if (method !== 'web') throw new DidError('methodNotSupported', 'the DID is not a did:web');
  const [authority = '', ...segments] = id.split(':');
  const [host = '', port, ...more] = authority.toLowerCase().split('%3a');
  if (more.length > 0) refuse('a did:web has one port');
  assertHost(host);
  if (port !== undefined) assertPort(port);
  for (const segment of segments) assertSegment(segment);
  const origin =
    port === undefined || port === '443' ? `https://${host}` : `https://${host}:${port}`;
  const folder = segments.length === 0 ? '.well-known' : segments.join('/');
  return `${origin}/${folder}/did.json`;
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new DidError('invalidDidDocument', 'what lies at the did:web is not JSON');
  }
};

/**
 * Reads the document fetched for `did`.
 * @throws DidError notFound when the document is of another DID, invalidDidDocument
 */
export const readDidWebDocument = (did: string, text: string): DidDocument => {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new DidError('invalidDidDocument', 'a DID document is a JSON object');
  }
  if (!('id' in value) || value.id !== did) {
    throw new DidError('notFound', `the document that lies there has another id than ${did}`);
  }
  const fault = hasDuplicateKeys(text)
    ? 'the DID document says the same key twice'
    : documentFault(value as DidDocument);
  if (fault !== undefined) throw new DidError('invalidDidDocument', fault);
  return value as DidDocument;
};
