/**
 * Verifies what the service posts: status webhooks, audit webhooks and the credentials in them. Needs WebCrypto,
 * with Ed25519 for audit webhooks and credentials. Source: standardwebhooks.com; RFC 8037.
 */
import { ed25519Of, fromBase64, fromBase64Url, utf8 } from './encoding.ts';
import type { CredentialMessage, StatusMessage } from './generated/schemas.ts';
import type { AnswerOf } from './operation-types.ts';

export type WebhookErrorCode =
  | 'header_missing'
  | 'timestamp_out_of_range'
  | 'signature_invalid'
  | 'body_invalid'
  | 'credential_invalid';

/** It is not from the service, or not from now: answer 400 and do nothing. */
export class WebhookError extends Error {
  readonly code: WebhookErrorCode;
  constructor(code: WebhookErrorCode, message: string) {
    super(message);
    this.name = 'WebhookError';
    this.code = code;
  }
}

/** `Headers` of any library, or an object. */
export type WebhookHeaders =
  | { get(name: string): string | null | undefined }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export type Delivery = {
  headers: WebhookHeaders;
  /** As it came, before it is parsed. */
  body: string | Uint8Array;
  /** How far the clock may be off; default 300. */
  toleranceSeconds?: number;
  nowMs?: number;
};

/** A message and its id. A later version of the service may add members. */
type EventOf<Message extends { data: object }> = Omit<Message, 'data'> & {
  /** The same for each attempt: keep those that you have seen. */
  id: string;
  data: Message['data'] & { [member: string]: unknown };
};

export type StatusEvent = EventOf<StatusMessage>;

export type AuditEvent = EventOf<CredentialMessage>;

const headerIn = (headers: WebhookHeaders, name: string): string => {
  const given =
    typeof headers.get === 'function'
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const value = typeof given === 'object' ? given?.[0] : given;
  if (value) return value;
  throw new WebhookError('header_missing', `The header ${name} is missing.`);
};

/** Many frameworks parse the body before their handlers get it. @throws TypeError */
const bytesOf = (body: unknown): Uint8Array => {
  if (typeof body === 'string') return utf8(body);
  if (body instanceof Uint8Array || Object.prototype.toString.call(body) === '[object Uint8Array]')
    return body as Uint8Array;
  throw new TypeError(
    'The body of a webhook must be the text or the bytes as they came, before any parser. Express: use express.raw({ type: "application/json" }) for this route.',
  );
};

type Signed = {
  id: string;
  message: Uint8Array<ArrayBuffer>;
  parts: [string, string][];
  text: string;
};

const open = ({ headers, body, toleranceSeconds = 300, nowMs = Date.now() }: Delivery): Signed => {
  const id = headerIn(headers, 'webhook-id');
  const timestamp = headerIn(headers, 'webhook-timestamp');
  const off = Math.abs(nowMs / 1000 - Number(timestamp));
  if (!/^\d{1,12}$/.test(timestamp) || off > toleranceSeconds) {
    throw new WebhookError('timestamp_out_of_range', 'The message is not from now.');
  }
  const bytes = bytesOf(body);
  const head = utf8(`${id}.${timestamp}.`);
  const message = new Uint8Array(head.length + bytes.length);
  message.set(head);
  message.set(bytes, head.length);
  const parts = headerIn(headers, 'webhook-signature')
    .split(' ')
    .map((part): [string, string] => {
      const [version = '', ...rest] = part.split(',');
      return [version, rest.join(',')];
    });
  return { id, message, parts, text: new TextDecoder().decode(bytes) };
};

const some = async <T>(
  items: readonly T[],
  test: (item: T) => Promise<boolean>,
): Promise<boolean> => {
  for (const item of items) if (await test(item)) return true;
  return false;
};

const keyBytes = (key: string, prefix: string): Uint8Array<ArrayBuffer> => {
  const bytes = fromBase64(key.startsWith(prefix) ? key.slice(prefix.length) : key);
  if (bytes && bytes.length > 0) return bytes;
  throw new TypeError(`A key of webhooks begins with ${prefix} and is base64.`);
};

const hmacFits = async (secret: string, { message, parts }: Signed): Promise<boolean> => {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const raw = keyBytes(secret, 'whsec_');
  const key = await crypto.subtle.importKey('raw', raw, algorithm, false, ['verify']);
  return some(parts, async ([version, signature]) => {
    const bytes = version === 'v1' ? fromBase64(signature) : undefined;
    return bytes !== undefined && crypto.subtle.verify('HMAC', key, bytes, message);
  });
};

const ed25519Fits = async (
  raw: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer> | undefined,
  message: Uint8Array<ArrayBuffer>,
): Promise<boolean> => {
  if (signature?.length !== 64) return false;
  const key = await crypto.subtle.importKey('raw', raw, { name: 'Ed25519' }, false, ['verify']);
  return crypto.subtle.verify({ name: 'Ed25519' }, key, signature, message);
};

const listOf = (value: string | readonly string[]): readonly string[] =>
  typeof value === 'string' ? [value] : value;

const eventIn = <T>({ id, text }: Signed): T => {
  try {
    const body = JSON.parse(text) as { type: string; timestamp: string; data: object };
    if (typeof body.type === 'string' && typeof body.data === 'object' && body.data !== null) {
      return { id, ...body } as T;
    }
  } catch {
    // Told below.
  }
  throw new WebhookError('body_invalid', 'The body is not an event.');
};

const refuseUnsigned = (signed: boolean): void => {
  if (!signed) throw new WebhookError('signature_invalid', 'No signature fits the message.');
};

/** @throws WebhookError unless one of the secrets signed it, now */
export const verifyStatusWebhook = async ({
  secret,
  ...delivery
}: Delivery & { secret: string | readonly string[] }): Promise<StatusEvent> => {
  // A variable of the environment may not be set.
  if (secret == null) throw new TypeError('The secret of the webhook (whsec_…) is missing.');
  const signed = open(delivery);
  refuseUnsigned(await some(listOf(secret), (one) => hmacFits(one, signed)));
  return eventIn<StatusEvent>(signed);
};

export type DidDocument = {
  id: string;
  verificationMethod?: readonly { id: string; publicKeyMultibase?: string; [m: string]: unknown }[];
  assertionMethod?: readonly unknown[];
  [member: string]: unknown;
};

/** The issuer: its DID document, or the answer of `service_did`, which knows its former keys as well. */
export type Issuer = DidDocument | AnswerOf<'service_did'>;

/**
 * `did`: the issuer that the key signs as. `until`: when the key was retired; it does not vouch for later dates.
 */
type IssuerKey = { did: string; multikey: unknown; until?: unknown };

type IssuerKeys = { did: string; keys: Map<string, IssuerKey> };

type Members = Record<string, unknown>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The objects in a list. Ignores members of a document that have another form. */
const objectsIn = (value: unknown): Members[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

const keysIn = (document: Members): IssuerKeys => {
  const did = String(document.id);
  const { assertionMethod } = document;
  const asserting = new Set(
    (Array.isArray(assertionMethod) ? assertionMethod : []).map((one) =>
      isObject(one) ? one.id : one,
    ),
  );
  const keys = new Map<string, IssuerKey>();
  for (const method of objectsIn(document.verificationMethod)) {
    const { id, publicKeyMultibase: multikey, expires: until, revoked } = method;
    if (typeof id !== 'string' || !asserting.has(id) || revoked !== undefined) continue;
    keys.set(id, { did, multikey, until });
  }
  return { did, keys };
};

const keysOf = (issuer: Issuer): IssuerKeys => {
  if (!isObject(issuer)) return { did: '', keys: new Map() };
  if (!('didDocument' in issuer)) return keysIn(issuer);
  const { didDocument, kid: present, retired_keys: retired } = issuer as Members;
  const { did, keys } = keysIn(isObject(didDocument) ? didDocument : {});
  // The document of a did:key names its first key only. Any other key has a `kid` of its own.
  if (typeof present === 'string' && present.startsWith('did:key:')) {
    keys.set(present, { did, multikey: present.split('#')[1] });
  }
  for (const { kid, purpose, publicKeyMultibase, valid_until, revoked } of objectsIn(retired)) {
    if (typeof kid !== 'string') continue;
    const isRevoked = revoked !== undefined && revoked !== false;
    if (purpose === 'credential' && !isRevoked) {
      // A service with a did:key had another DID for each former key. Such a key needs a statement to count.
      const former = kid.split('#', 1)[0] ?? did;
      keys.set(kid, { did: former, multikey: publicKeyMultibase, until: valid_until });
    }
    if (isRevoked) keys.delete(kid);
  }
  return { did, keys };
};

/** Header `typ` of a statement by which a key says that its service goes on under another DID. */
const continuationType = 'letters-continuation+jwt';

/**
 * The key of a did:key under which the service issued before it moved or got another key. The service must name it as
 * its own, and the key must say that the service goes on under this DID: neither of them can claim the other alone.
 */
const formerKeyOf = async (
  issuer: Issuer,
  { did, keys }: IssuerKeys,
  kid: string,
): Promise<IssuerKey | undefined> => {
  const [former = '', multikey = ''] = kid.split('#');
  const named = [...keys.values()].find((key) => key.multikey === multikey);
  const raw = ed25519Of(multikey);
  if (!named || !raw || former !== `did:key:${multikey}`) return undefined;
  for (const { did: one, statement } of objectsIn((issuer as Members).former_dids)) {
    if (one !== former || typeof statement !== 'string') continue;
    const [head = '', claims = '', signature = '', ...rest] = statement.split('.');
    const [header, payload] = [objectIn(head), objectIn(claims)];
    const isMeant =
      rest.length === 0 &&
      header?.alg === 'EdDSA' &&
      header.typ === continuationType &&
      header.kid === kid &&
      payload?.iss === former &&
      payload.sub === did &&
      payload.formerOrigin === undefined;
    if (!isMeant) continue;
    if (await ed25519Fits(raw, fromBase64Url(signature), utf8(`${head}.${claims}`))) {
      return { ...named, did: former };
    }
  }
  return undefined;
};

/** Tolerance for clocks that differ: as in the service and verify-audit.mjs. */
const keySkewSeconds = 300;

/** Whether a key was in use at a time. A key whose end is not a valid time was not. */
const wasInUse = ({ until }: IssuerKey, atSeconds: number): boolean =>
  until === undefined ||
  until === null ||
  atSeconds <= Date.parse(String(until)) / 1000 + keySkewSeconds;

const objectIn = (segment: string): Members | undefined => {
  try {
    const bytes = fromBase64Url(segment);
    const value =
      bytes && JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

const distrusted = (why: string) =>
  new WebhookError('credential_invalid', `The credential is not valid: ${why}.`);

const timeIn = (payload: Members, name: 'nbf' | 'exp'): number | undefined => {
  const time = payload[name] ?? undefined;
  if (time === undefined || typeof time === 'number') return time;
  throw distrusted(`its ${name} is not a number`);
};

export type CredentialPayload = {
  iss: string;
  jti?: string;
  nbf?: number;
  vc: { credentialSubject: Record<string, unknown>; [member: string]: unknown };
  [member: string]: unknown;
};

/** A Verifiable Credential as JWT against the keys of its issuer. @throws WebhookError credential_invalid */
export const verifyCredential = async (
  jwt: string,
  {
    issuer,
    toleranceSeconds = 300,
    nowMs = Date.now(),
  }: {
    issuer: Issuer;
    toleranceSeconds?: number;
    nowMs?: number;
  },
): Promise<CredentialPayload> => {
  const parts = typeof jwt === 'string' ? jwt.split('.') : [];
  const [head = '', claims = '', signature = ''] = parts;
  const header = objectIn(head);
  const payload = objectIn(claims);
  if (parts.length !== 3 || !header || !payload) throw distrusted('it is no JWT');
  if (header.alg !== 'EdDSA' || header.crit !== undefined) throw distrusted('it is not Ed25519');
  const present = keysOf(issuer);
  const { did, keys } = present;
  const kid = String(header.kid);
  const own = keys.get(kid);
  const known = own?.did === did ? own : await formerKeyOf(issuer, present, kid);
  const expected = known?.did ?? did;
  if (payload.iss !== expected) {
    throw distrusted(`it is issued by ${payload.iss}, not by ${expected}`);
  }
  const raw = ed25519Of(known?.multikey);
  if (known === undefined || raw === undefined) {
    throw distrusted('its key is not one that the issuer signs with');
  }
  if (!(await ed25519Fits(raw, fromBase64Url(signature), utf8(`${head}.${claims}`)))) {
    throw distrusted('its signature does not fit');
  }
  const [nbf, exp] = [timeIn(payload, 'nbf'), timeIn(payload, 'exp')];
  const nowSeconds = nowMs / 1000;
  if (nbf !== undefined && nbf > nowSeconds + toleranceSeconds) {
    throw distrusted('it is of the future');
  }
  if (exp !== undefined && exp < nowSeconds - toleranceSeconds) {
    throw distrusted('it has expired');
  }
  if (!wasInUse(known, nbf ?? nowSeconds)) {
    throw distrusted('it is dated after its key was retired');
  }
  const { vc } = payload;
  if (!isObject(vc) || !isObject(vc.credentialSubject))
    throw distrusted('it says nothing of a subject');
  return payload as CredentialPayload;
};

/**
 * The event and what its credential says. Signed with the secret of the subscription or, if `publicKeys` are
 * given (`whpk_…`), with the key of the service. With `issuer` the credential is verified and must be of this
 * letter and event. @throws WebhookError
 */
export const verifyAuditWebhook = async ({
  secret = [],
  publicKeys = [],
  issuer,
  ...delivery
}: Delivery & {
  secret?: string | readonly string[];
  publicKeys?: string | readonly string[];
  issuer?: Issuer;
}): Promise<{ event: AuditEvent; credential: CredentialPayload | undefined }> => {
  const signed = open(delivery);
  const bySecret = await some(listOf(secret), (one) => hmacFits(one, signed));
  const byKey = (key: string) =>
    some(signed.parts, async ([version, signature]) =>
      version === 'v1a'
        ? ed25519Fits(keyBytes(key, 'whpk_'), fromBase64(signature), signed.message)
        : false,
    );
  refuseUnsigned(bySecret || (await some(listOf(publicKeys), byKey)));
  const event = eventIn<AuditEvent>(signed);
  if (issuer === undefined) return { event, credential: undefined };
  const { toleranceSeconds, nowMs } = delivery;
  const credential = await verifyCredential(event.data.credential, {
    issuer,
    ...(toleranceSeconds === undefined ? {} : { toleranceSeconds }),
    ...(nowMs === undefined ? {} : { nowMs }),
  });
  const { letterId } = credential.vc.credentialSubject;
  const isOfLetter = (letterId ?? null) === event.data.letter_id;
  if (!isOfLetter || credential.jti !== `urn:uuid:${event.data.event_id}`) {
    throw distrusted('it is of another event');
  }
  return { event, credential };
};
