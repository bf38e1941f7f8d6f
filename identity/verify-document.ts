/**
 * Verifies documents that the service signed (identity/signed-document.ts) and reports the findings, check by
 * check. Any input is allowed: an input that is not such a document fails a check, and nothing throws.
 */
import { canonicalJson } from '../ground/canonical-json.ts';
import { type Jwt, JwtError, parseJwt } from './jwt.ts';
import { keySkewSeconds } from './key-skew.ts';
import { publicKeyFromMultikey, verifySignature } from './keys.ts';
import { type DocumentType, documentHash } from './signed-document.ts';

/** Of no document of ours is as long. */
export const maxDocumentBytes = 64 * 1024;

/** A key that signs, or signed, documents. Instants are RFC 3339 UTC. */
type DocumentKey = {
  /** DID URLs that it was used under. */
  kids: string[];
  publicKeyMultibase: string;
  state: 'active' | 'retired' | 'revoked';
  validUntil?: string;
};

/** `code` is null for a check that holds. */
type DocumentCheck = {
  name: 'form' | 'type' | 'content' | 'key' | 'signature' | 'hash' | 'request_hash' | 'expiry';
  ok: boolean;
  code: string | null;
  detail: string;
};

export type DocumentVerification = {
  /** Every check that applies is right. */
  valid: boolean;
  /** It is as we signed it, expired or not. */
  signed: boolean;
  checks: DocumentCheck[];
  type: DocumentType | null;
  kid: string | null;
  /** Only when the signature is right: otherwise nobody vouches for it. */
  document: Record<string, unknown> | null;
};

const types: readonly DocumentType[] = ['anp-offer+jws', 'anp-receipt+jws', 'anp-contract+jws'];

type Outcome = { code: string | null; detail: string };
const right = (detail: string): Outcome => ({ code: null, detail });
const wrong = (code: string, detail: string): Outcome => ({ code, detail });

const parse = (jws: unknown): Jwt | Outcome => {
  if (typeof jws !== 'string') return wrong('malformed', 'there is no jws, a compact JWS');
  try {
    return parseJwt(jws, { maxBytes: maxDocumentBytes });
  } catch (error) {
    if (error instanceof JwtError) return wrong('malformed', error.message);
    throw error;
  }
};

const typeCheck = ({ header }: Jwt): Outcome => {
  const { alg, typ, crit } = header;
  if (alg !== 'EdDSA') return wrong('unsupported_alg', 'alg must be EdDSA');
  if (crit !== undefined) return wrong('unsupported_header', 'crit is not supported');
  const known = types.some((type) => type === typ);
  return known
    ? right(`${typ}, signed with EdDSA`)
    : wrong('unknown_type', `typ must be one of ${types.join(', ')}`);
};

const contentCheck = ({ payload, payloadText }: Jwt, given: object | undefined): Outcome => {
  if (canonicalJson(payload) !== payloadText) {
    return wrong('not_canonical', 'the payload is not in canonical form (RFC 8785)');
  }
  if (given === undefined) return right('the payload is in canonical form');
  const { jws: _, ...rest } = given as Record<string, unknown>;
  const memberOf = (document: Record<string, unknown>, name: string): string | undefined =>
    Object.hasOwn(document, name) ? canonicalJson(document[name]) : undefined;
  const names = [...new Set([...Object.keys(rest), ...Object.keys(payload)])].filter(
    (name) => memberOf(rest, name) !== memberOf(payload, name),
  );
  return names.length === 0
    ? right('the document is what was signed')
    : wrong('content_changed', `not as it was signed: ${names.slice(0, 10).join(', ')}`);
};

const keyCheck = ({ payload, header: { kid } }: Jwt, key: DocumentKey | undefined): Outcome => {
  if (!key) return wrong('key_unknown', 'kid is not a key of this service that signs documents');
  const { issued_at, iat } = payload;
  const at = typeof issued_at === 'string' ? Date.parse(issued_at) : Number(iat) * 1_000;
  if (key.state === 'revoked') return wrong('key_revoked', 'the key was revoked');
  if (
    key.state === 'retired' &&
    !(at <= Date.parse(key.validUntil ?? '') + keySkewSeconds * 1_000)
  ) {
    return wrong('key_retired', 'it was signed after the key had been retired');
  }
  return right(`${String(kid)} is in the DID document of the service`);
};

const signatureCheck = (jwt: Jwt, key: DocumentKey | undefined): Outcome => {
  const proved =
    key !== undefined &&
    verifySignature(
      publicKeyFromMultikey(key.publicKeyMultibase),
      'EdDSA',
      jwt.signingInput,
      jwt.signature,
    );
  return proved
    ? right('EdDSA by the key that kid names')
    : wrong('signature', 'the signature is not one of this key over this document');
};

/** An offer says its own hash, and that of the request. */
const hashCheck = ({ payload }: Jwt): Outcome => {
  const { offer_hash, ...terms } = payload;
  return offer_hash === documentHash(terms)
    ? right('offer_hash is that of the offer')
    : wrong('offer_hash', 'offer_hash is not that of the offer');
};

const requestCheck = ({ payload: { request, request_hash } }: Jwt): Outcome =>
  typeof request === 'object' && request !== null && request_hash === documentHash(request)
    ? right('request_hash is that of the request')
    : wrong('request_hash', 'request_hash is not that of the request');

const expiryCheck = ({ payload: { expires_at } }: Jwt, nowMs: number): Outcome =>
  typeof expires_at === 'string' && Date.parse(expires_at) > nowMs
    ? right(`it holds until ${expires_at}`)
    : wrong('expired', `it expired at ${String(expires_at)}`);

/**
 * @param given the compact JWS, or the document with its member `jws`
 * @param keys those that signed documents of this service
 */
export const verifyDocument = (
  given: unknown,
  { keys, nowMs }: { keys: readonly DocumentKey[]; nowMs: number },
): DocumentVerification => {
  const whole = typeof given === 'object' && given !== null ? given : undefined;
  const jwt = parse(whole && 'jws' in whole ? whole.jws : given);
  const checks: DocumentCheck[] = [];
  const say = (name: DocumentCheck['name'], { code, detail }: Outcome): boolean => {
    checks.push({ name, ok: code === null, code, detail });
    return code === null;
  };
  const nobodys = { valid: false, signed: false, checks, type: null, kid: null, document: null };
  if (!('payload' in jwt)) {
    say('form', jwt);
    return nobodys;
  }
  say('form', right('a compact JWS'));
  const { kid, typ } = jwt.header;
  const key = keys.find(({ kids }) => kids.some((one) => one === kid));
  const parts = [
    say('type', typeCheck(jwt)),
    say('content', contentCheck(jwt, whole)),
    say('key', keyCheck(jwt, key)),
    say('signature', signatureCheck(jwt, key)),
    ...(typ === 'anp-offer+jws'
      ? [say('hash', hashCheck(jwt)), say('request_hash', requestCheck(jwt))]
      : []),
  ];
  if (!parts.every(Boolean)) return nobodys;
  const expires = jwt.payload.expires_at !== undefined;
  const valid = !expires || say('expiry', expiryCheck(jwt, nowMs));
  const type = typ as DocumentType;
  return { valid, signed: true, checks, type, kid: String(kid), document: jwt.payload };
};
