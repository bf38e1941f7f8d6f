/**
 * One credential (VC data model 1.1 as JWT) for each event, a pure function of the stored bytes of the
 * event, its place, what the credentials before it say, and the issuer's key: made again, it has the same
 * bytes.
 *
 * The rules here are version 1 of `credentialSchema` and never change: they read the stored data as it
 * lies, not brought up to date, and take of an event that they do not know nothing but its envelope. Other
 * rules need another schema id, and a record of where in the log they begin.
 *
 * Nothing personal goes in: no name, address, reference, URL, tracking number or amount.
 */
import { hash } from 'node:crypto';
import { eventName } from '../contract/event-name.ts';
import { type LetterStatus, statusAfter } from '../contract/letter-status.ts';
import { JwtError, parseJwt } from './jwt.ts';

/** A stored event. `data` is what its JSON says as it is stored, `hash` that of `events/envelope.ts`. */
export type CredentialEvent = {
  id: string;
  stream: string;
  version: bigint;
  type: string;
  data: Record<string, unknown>;
  /** RFC 3339 UTC. */
  at: string;
  hash: string;
};

export type CredentialSubject = {
  id: string;
  stream: string;
  eventType: string;
  /** Version of the event in its stream, plus 1. */
  sequence: number;
  /** Milliseconds since the epoch. */
  occurredAt: number;
  account?: string;
  test?: boolean;
  letterId?: string;
  /** Of the letter, after the event. */
  status?: LetterStatus;
  service?: string;
  intent?: string;
  country?: string;
  /** `sha-256:` and the salted commitment to the letter's content. */
  recordCommitment?: string;
  /** DID of the account's owner at this place in the log. */
  customer?: string;
  /** The reporter. `inferred` when the event only follows from a later report. */
  source?: string;
  inferred?: boolean;
  evidence?: string;
  outcome?: string;
  eventHash: string;
  previousCredentialHash: string | null;
  /** Leaf of the transparency log. */
  logIndex: number;
};

export type EventCredentialPayload = {
  iss: string;
  sub: string;
  jti: string;
  nbf: number;
  vc: {
    '@context': unknown[];
    type: string[];
    credentialSubject: CredentialSubject;
    credentialSchema: { id: string; type: string };
  };
};

/** Facts that a credential passes on to the next one of its stream. */
export type PreviousCredential = { hash: string; subject: CredentialSubject };

export type CredentialPlace = {
  /** Leaf of the log: 0, 1, 2 … */
  logIndex: number;
  /** The credential before it in its stream; absent for the first. */
  previous: PreviousCredential | undefined;
  /** Subject of the latest credential of the stream `account-<account>`, before this place. */
  account: CredentialSubject | undefined;
};

/** `kid` is absolute; `sign` is Ed25519 over the signing input. */
export type CredentialIssuer = {
  did: string;
  kid: string;
  /** Where version 1 of the schema is served; absent: its URN, as before it was served anywhere. */
  schema?: string;
  sign(data: Uint8Array): Uint8Array | Promise<Uint8Array>;
};

export const eventCredentialSchema = 'urn:letters:schema:event-credential:1';

const contexts = ['https://www.w3.org/2018/credentials/v1', { '@vocab': 'urn:letters:event#' }];

/** Larger than any that is issued. */
const maxEventCredentialBytes = 16 * 1024;

/** `sha-256:` and the digest of the JWT's bytes, base64url. */
export const credentialHash = (jwt: string | Uint8Array): string =>
  `sha-256:${hash('sha256', jwt, 'base64url')}`;

type Data = Record<string, unknown>;

const isObject = (value: unknown): value is Data =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A text that is an id or a code; anything longer or stranger is left out, so that no prose gets in. */
const word = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[A-Za-z0-9_.:-]{1,128}$/.test(value) ? value : undefined;

/** Which member of the data says how it ended. */
const outcomeOf: Record<string, string> = {
  LetterReturned: 'reason',
  LetterFailed: 'code',
  LetterErased: 'reason',
  LetterCancellationRejected: 'reason',
};

const after = (stream: string, prefix: string): string | undefined =>
  stream.startsWith(prefix) ? stream.slice(prefix.length) : undefined;

/**
 * The account of an event, taken from the stream, then the data, then the credential before. Undefined for
 * the service's own events.
 */
export const accountOf = (
  event: Pick<CredentialEvent, 'stream' | 'data'>,
  previous: PreviousCredential | undefined,
): string | undefined => {
  const own = after(event.stream, 'account-');
  if (own !== undefined) return own;
  const wallet = after(event.stream, 'wallet-');
  if (wallet !== undefined) return wallet.slice(0, wallet.lastIndexOf('-'));
  const { data, terms } = readData(event.data);
  return word(terms.accountId) ?? word(data.accountId) ?? previous?.subject.account;
};

const readData = (stored: Data): { data: Data; terms: Data } => {
  const data = isObject(stored) ? stored : {};
  return { data, terms: isObject(data.terms) ? data.terms : {} };
};

const isTest = (
  data: Data,
  terms: Data,
  carried: Partial<CredentialSubject>,
  account: CredentialSubject | undefined,
): boolean | undefined => {
  for (const said of [terms.test, data.test, carried.test, account?.test]) {
    if (typeof said === 'boolean') return said;
  }
  return undefined;
};

const commitmentOf = (terms: Data): string | undefined => {
  const commitment = word(terms.commitment);
  return commitment === undefined ? undefined : `sha-256:${commitment}`;
};

/** Claims about a letter only. */
const letterPart = (
  event: CredentialEvent,
  letterId: string,
  terms: Data,
  carried: Partial<CredentialSubject>,
) => ({
  letterId,
  status: statusAfter(event.type) ?? carried.status,
  service: word(terms.service) ?? carried.service,
  intent: word(terms.intent) ?? carried.intent,
  country: word(terms.country) ?? carried.country,
  recordCommitment: commitmentOf(terms) ?? carried.recordCommitment,
});

const reportPart = (event: CredentialEvent, data: Data) => ({
  source: word(data.source),
  inferred: data.inferred === true ? true : undefined,
  evidence: word(data.evidence),
  outcome: word(data[outcomeOf[event.type] ?? '']),
});

const customerOf = (event: CredentialEvent, data: Data, place: CredentialPlace) => {
  if (event.type === 'DidCreated' && event.stream.startsWith('account-')) {
    return typeof data.did === 'string' ? data.did : undefined;
  }
  // The latest of the account says it, not the latest of the letter.
  return event.stream.startsWith('account-')
    ? place.previous?.subject.customer
    : place.account?.customer;
};

const subjectIdOf = (stream: string, letterId: string | undefined): string =>
  letterId === undefined ? `urn:letters:${stream}` : `urn:uuid:${letterId}`;

export const credentialSubjectOf = (
  event: CredentialEvent,
  place: CredentialPlace,
): CredentialSubject => {
  const { data, terms } = readData(event.data);
  const letterId = after(event.stream, 'letter-');
  const carried: Partial<CredentialSubject> = place.previous?.subject ?? {};
  return {
    id: subjectIdOf(event.stream, letterId),
    stream: event.stream,
    eventType: eventName(event.stream, event.type),
    sequence: Number(event.version) + 1,
    occurredAt: Date.parse(event.at),
    account: accountOf(event, place.previous),
    test: isTest(data, terms, carried, place.account),
    ...(letterId === undefined ? {} : letterPart(event, letterId, terms, carried)),
    customer: customerOf(event, data, place),
    ...(letterId === undefined ? {} : reportPart(event, data)),
    eventHash: `sha-256:${event.hash}`,
    previousCredentialHash: place.previous?.hash ?? null,
    logIndex: place.logIndex,
  } as CredentialSubject;
};

const eventCredentialPayload = (
  event: CredentialEvent,
  subject: CredentialSubject,
  issuer: Pick<CredentialIssuer, 'did' | 'schema'>,
): EventCredentialPayload => ({
  iss: issuer.did,
  sub: subject.id,
  jti: `urn:uuid:${event.id}`,
  nbf: Math.floor(subject.occurredAt / 1_000),
  vc: {
    '@context': contexts,
    type: [
      'VerifiableCredential',
      subject.letterId === undefined ? 'EventCredential' : 'LetterEventCredential',
    ],
    credentialSubject: subject,
    credentialSchema: { id: issuer.schema ?? eventCredentialSchema, type: 'JsonSchema' },
  },
});

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const headers = new Map<string, string>();
/** The header of a key, encoded once. */
const headerOf = (kid: string): string => {
  const known = headers.get(kid);
  if (known !== undefined) return known;
  const header = encode({ alg: 'EdDSA', kid, typ: 'JWT' });
  if (headers.size > 100) headers.clear();
  headers.set(kid, header);
  return header;
};

/** Of an Ed25519 signature, in base64url. */
const signatureLength = 86;

/** A credential that is to be signed: its bytes with room for the signature, and the part that is signed. */
type UnsignedCredential = { bytes: Buffer; signed: Buffer };

/** `<header>.<payload>` as bytes: as text each step would copy it once more. */
export const encodeEventCredential = (
  event: CredentialEvent,
  subject: CredentialSubject,
  issuer: Omit<CredentialIssuer, 'sign'>,
): UnsignedCredential => {
  const header = headerOf(issuer.kid);
  const payload = encode(eventCredentialPayload(event, subject, issuer));
  const length = header.length + 1 + payload.length;
  const bytes = Buffer.allocUnsafe(length + 1 + signatureLength);
  bytes.write(header, 0, 'latin1');
  bytes.write('.', header.length, 'latin1');
  bytes.write(payload, header.length + 1, 'latin1');
  return { bytes, signed: bytes.subarray(0, length) };
};

/** The JWT with its signature, and its hash. @throws RangeError when the signature is not Ed25519 */
export const withSignature = (
  { bytes, signed }: UnsignedCredential,
  signature: Uint8Array,
): { jwt: string; hash: string } => {
  const text = Buffer.from(signature).toString('base64url');
  if (text.length !== signatureLength) throw new RangeError('the signature is not Ed25519');
  bytes.write('.', signed.length, 'latin1');
  bytes.write(text, signed.length + 1, 'latin1');
  return { jwt: bytes.toString('latin1'), hash: credentialHash(bytes) };
};

/** The payload of a credential that the service issued. */
export const issuedPayload = (jwt: string): EventCredentialPayload =>
  parseJwt(jwt, { maxBytes: maxEventCredentialBytes }).payload as unknown as EventCredentialPayload;

/** Reads back the facts that a credential passes on. @throws JwtError when it is no event credential */
export const previousOf = (jwt: string): PreviousCredential => {
  const { payload } = parseJwt(jwt, { maxBytes: maxEventCredentialBytes });
  const vc = payload.vc as Partial<EventCredentialPayload['vc']> | undefined;
  const subject = vc?.credentialSubject;
  if (!isObject(subject) || typeof subject.logIndex !== 'number') {
    throw new JwtError('the token is not an event credential');
  }
  return { hash: credentialHash(jwt), subject: subject as CredentialSubject };
};
