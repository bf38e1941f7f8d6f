/**
 * Verifies credentials and presentations, from this service and from others, and reports the result of each
 * check. A credential whose checks cannot all run is not verified.
 */
import { hash } from 'node:crypto';
import { numberOf } from '../ground/plural.ts';
import {
  type CheckName,
  ClaimError,
  type Claims,
  isObject,
  type Json,
  readClaims,
} from './credential-claims.ts';
import { type DidDocument, findVerificationKey } from './did-document.ts';
import { type Jwt, JwtError, parseJwt } from './jwt.ts';
import { keySkewSeconds } from './key-skew.ts';
import { type PublicKey, publicKeyFromMultikey, verifySignature } from './keys.ts';
import { leafHash, verifyInclusion } from './merkle.ts';

/** `code` is null for a check that holds. */
type Check = { name: CheckName; ok: boolean; code: string | null; detail: string };

export type Verification = {
  valid: boolean;
  checks: Check[];
  /** These three only when the signature is right: otherwise nobody vouches for them. */
  issuer: string | null;
  subject: string | null;
  credential: Json | null;
  /** Of a presentation: its credentials, in order. */
  credentials?: Verification[];
};

/** A key that signs, or signed, the service's credentials. */
export type OwnKey = {
  kid: string;
  /** Multikey. */
  publicKey: string;
  state: 'active' | 'retired' | 'revoked';
  validUntil?: string;
  trustedLogSize?: number;
};

/** Where a credential is in the service's log, against the latest checkpoint. */
export type LogEntry = { logIndex: number; size: number; root: Buffer; path: Buffer[] };

export type VerifyPorts = {
  nowMs: number;
  /** The DID's document, or why there is none. */
  resolve(did: string): Promise<{ document: DidDocument } | { detail: string }>;
  /** Keys under which the service signs as `did`; undefined for a DID that is not its own. */
  ownKeys(did: string): OwnKey[] | undefined;
  /** By the SHA-256 of the credential; undefined when it is not in the log. */
  logEntry(hash: Buffer): Promise<LogEntry | undefined>;
  /**
   * Whether the service attests anew that the credential with this subject and `jti` belongs to the event as
   * its store has it.
   */
  attestsAnew(subject: Json, jti: unknown): Promise<boolean>;
  /** Uses a challenge up, for good as far as a presentation can last. False when it was used before. */
  spendChallenge(answered: {
    challenge: string;
    domain: string | undefined;
    holder: string;
    /** As it was signed: the same one again, within minutes, is no second answer. */
    presentation: string;
  }): Promise<boolean>;
};

type Expected = {
  /** The expected `nonce` of a presentation. */
  challenge?: string;
  /** A value that `aud` of a presentation must contain. */
  domain?: string;
};

/** How far clocks may be apart, for a token that must be valid now. */
const skewSeconds = 60;
/** A presentation is for one occasion. Source: facts/identity.md §5. */
const maxPresentationSeconds = 600;
export const maxTokenBytes = 512 * 1024;
const signingAlgs = ['EdDSA', 'ES256K', 'ES256', 'ES384'];

type Report = {
  checks: Check[];
  pass(name: CheckName, detail: string): void;
  fail(name: CheckName, code: string, detail: string): void;
};

const createReport = (): Report => {
  const checks: Check[] = [];
  return {
    checks,
    pass: (name, detail) => checks.push({ name, ok: true, code: null, detail }),
    fail(name, code, detail) {
      const passed = checks.findIndex((check) => check.name === name && check.ok);
      if (passed >= 0) checks.splice(passed, 1);
      checks.push({ name, ok: false, code, detail });
    },
  };
};

const refusedAt = (report: Report, error: unknown): Verification => {
  if (error instanceof ClaimError) report.fail(error.check, error.code, error.message);
  else if (error instanceof JwtError) report.fail('format', error.code, error.message);
  else throw error;
  return {
    valid: false,
    checks: report.checks,
    issuer: null,
    subject: null,
    credential: null,
  };
};

/** Why a presentation lasts too long; undefined when it does not. */
const lastsTooLong = ({ kind, notBefore, expires }: Claims, now: number): string | undefined => {
  if (kind === 'credential') return undefined;
  if (expires === undefined) return 'a presentation without exp could be shown again for ever';
  return expires - (notBefore ?? now) > maxPresentationSeconds + skewSeconds
    ? `a presentation lasts ${maxPresentationSeconds} seconds at most`
    : undefined;
};

const checkTime = (claims: Claims, nowMs: number, report: Report): void => {
  const { notBefore, expires } = claims;
  const now = nowMs / 1_000;
  const tooLong = lastsTooLong(claims, now);
  if (notBefore !== undefined && notBefore > now + skewSeconds) {
    report.fail('time', 'not_yet_valid', 'it is not valid yet');
  } else if (expires !== undefined && expires <= now - skewSeconds) {
    report.fail('time', 'expired', 'it has expired');
  } else if (notBefore !== undefined && expires !== undefined && expires < notBefore) {
    report.fail('time', 'malformed_time', 'it ends before it begins');
  } else if (tooLong !== undefined) {
    report.fail('time', expires === undefined ? 'no_expiry' : 'lasts_too_long', tooLong);
  } else {
    report.pass('time', expires === undefined ? 'it has begun and has no end' : 'it is in time');
  }
};

const checkStatus = ({ document }: Claims, report: Report): void => {
  if (document.credentialStatus === undefined) {
    report.pass('status', 'it names no status list: it cannot be revoked');
    return;
  }
  report.fail(
    'status',
    'status_not_verified',
    'it has a credentialStatus, and no type of it is known here',
  );
};

type SigningPart = { publicKey: PublicKey; own?: OwnKey };

const ownKeyOf = (keys: OwnKey[], kid: unknown, report: Report): SigningPart | undefined => {
  const own = keys.find((key) => key.kid === kid);
  if (!own) {
    report.fail(
      'key',
      'unknown_key',
      'kid names no key under which this service issues credentials',
    );
    return undefined;
  }
  report.pass('key', 'kid names a key of this service');
  return { publicKey: publicKeyFromMultikey(own.publicKey), own };
};

/** The key that must have signed, by issuer and `kid`; the token itself never brings one. */
const findKey = async (
  jwt: Jwt,
  claims: Claims,
  ports: VerifyPorts,
  report: Report,
): Promise<SigningPart | undefined> => {
  const { kid } = jwt.header;
  const { issuer, kind, notBefore } = claims;
  if (kid !== undefined && typeof kid !== 'string') {
    report.fail('key', 'malformed', 'kid is not a text');
    return undefined;
  }
  const own = kind === 'credential' ? ports.ownKeys(issuer) : undefined;
  if (own) return ownKeyOf(own, kid, report);
  if (kid !== undefined && kid.split('#', 1)[0] !== issuer && !kid.startsWith('#')) {
    report.fail('key', 'key_of_another', `kid is not a key of ${issuer}`);
    return undefined;
  }
  const resolved = await ports.resolve(issuer);
  if (!('document' in resolved)) {
    report.fail('key', 'issuer_not_resolved', resolved.detail);
    return undefined;
  }
  const relationship = kind === 'credential' ? 'assertionMethod' : 'authentication';
  const signedAtMs = notBefore === undefined ? ports.nowMs : notBefore * 1_000;
  const found = findVerificationKey(resolved.document, kid, relationship, signedAtMs);
  if (found.publicKey === undefined) {
    report.fail('key', `key_${found.reason}`, found.detail);
    return undefined;
  }
  report.pass('key', `the DID document of the issuer lists it for ${relationship}`);
  return { publicKey: found.publicKey };
};

const checkSignature = (jwt: Jwt, { publicKey }: SigningPart, report: Report): boolean => {
  const { alg } = jwt.header;
  if (typeof alg !== 'string' || !signingAlgs.includes(alg)) {
    report.fail('signature', 'unsupported_alg', `alg must be one of ${signingAlgs.join(', ')}`);
    return false;
  }
  if (!verifySignature(publicKey, alg, jwt.signingInput, jwt.signature)) {
    report.fail('signature', 'signature', 'the signature is not one of this key over this token');
    return false;
  }
  report.pass('signature', `${alg} by the key that kid names`);
  return true;
};

const checkRetired = (own: OwnKey, { notBefore = 0 }: Claims, report: Report): void => {
  const until = own.validUntil === undefined ? 0 : Date.parse(own.validUntil) / 1_000;
  if (notBefore > until + keySkewSeconds) {
    report.fail('key_validity', 'key_retired', 'it was issued after the key had been retired');
  } else {
    report.pass('key_validity', 'the key was in use when it was issued');
  }
};

/**
 * Checks a credential that a revoked key signed. It counts below the key's trusted size, and above that size
 * only when it is in the log and attested anew.
 */
const checkRevoked = async (
  own: OwnKey,
  entry: LogEntry | undefined,
  claims: Claims,
  ports: VerifyPorts,
  report: Report,
): Promise<void> => {
  const trusted = own.trustedLogSize ?? 0;
  const { credentialSubject: subject, id } = claims.document;
  if (entry !== undefined && entry.logIndex < trusted) {
    report.pass(
      'key_validity',
      `the key was revoked, and this is below leaf ${trusted} of the log`,
    );
  } else if (entry !== undefined && isObject(subject) && (await ports.attestsAnew(subject, id))) {
    report.pass(
      'key_validity',
      'the key was revoked, and the service attests this anew: it is the credential of the event in its store',
    );
  } else {
    report.fail(
      'key_validity',
      'key_revoked',
      `the key was revoked; what it signed is trusted below leaf ${trusted} of the log, or when it is in the log and attested anew`,
    );
  }
};

/** Our own credentials are in our log, and nowhere else; so are those of a stolen key not. */
const checkOwn = async (
  token: string,
  own: OwnKey,
  claims: Claims,
  ports: VerifyPorts,
  report: Report,
): Promise<void> => {
  const entry = await ports.logEntry(hash('sha256', token, 'buffer'));
  if (own.state === 'active') report.pass('key_validity', 'the key is in use');
  else if (own.state === 'retired') checkRetired(own, claims, report);
  else await checkRevoked(own, entry, claims, ports, report);
  if (entry === undefined) {
    report.fail(
      'log_inclusion',
      'not_in_log',
      'this service did not issue it: its log has no such leaf',
    );
    return;
  }
  const { logIndex, size, root, path } = entry;
  if (verifyInclusion(leafHash(token), logIndex, size, path, root)) {
    report.pass(
      'log_inclusion',
      `leaf ${logIndex} of the log, proved against the checkpoint of ${size}`,
    );
  } else {
    report.fail('log_inclusion', 'not_in_log', 'the log does not prove it');
  }
};

const audiences = (aud: unknown): unknown[] => (Array.isArray(aud) ? aud : [aud]);

/** A single credential is a bearer document: it answers no challenge. */
const refuseOccasion = (expected: Expected, report: Report): void => {
  const detail = 'it is a credential; only a presentation answers a challenge or names a domain';
  if (expected.challenge !== undefined) report.fail('challenge', 'no_presentation', detail);
  if (expected.domain !== undefined) report.fail('audience', 'no_presentation', detail);
};

const checkOccasion = ({ payload }: Jwt, expected: Expected, report: Report): void => {
  const { nonce, aud } = payload;
  if (expected.challenge !== undefined) {
    if (nonce === expected.challenge) report.pass('challenge', 'nonce is the challenge');
    else report.fail('challenge', 'challenge_mismatch', 'nonce is not the challenge');
  }
  if (expected.domain !== undefined) {
    if (audiences(aud).includes(expected.domain)) report.pass('audience', 'aud names the domain');
    else report.fail('audience', 'wrong_audience', 'aud does not name the domain');
  }
};

/**
 * A credential is the holder's when it is about the holder. `customer` has a known meaning in the service's
 * own credentials only.
 */
const isAbout = (
  { credential, issuer }: Verification,
  holder: string,
  isOwn: (did: string) => boolean,
): boolean =>
  (Array.isArray(credential?.credentialSubject)
    ? credential.credentialSubject
    : [credential?.credentialSubject]
  ).some(
    (subject) =>
      isObject(subject) &&
      (subject.id === holder || (subject.customer === holder && issuer !== null && isOwn(issuer))),
  );

const checkInside = async (
  claims: Claims,
  ports: VerifyPorts,
  report: Report,
): Promise<Verification[]> => {
  const inside: Verification[] = [];
  for (const token of claims.tokens) inside.push(await verifyOne(token, ports, 'credential'));
  const wrong = inside.filter(({ valid }) => !valid).length;
  if (wrong > 0) {
    report.fail(
      'credentials',
      'credential_invalid',
      `${wrong} of ${numberOf(inside.length, 'credential')} inside ${wrong === 1 ? 'is' : 'are'} not valid`,
    );
  } else {
    report.pass(
      'credentials',
      inside.length === 1
        ? 'the credential inside is valid'
        : `all ${inside.length} credentials inside are valid`,
    );
  }
  const isOwn = (did: string): boolean => ports.ownKeys(did) !== undefined;
  if (inside.every((one) => isAbout(one, claims.issuer, isOwn))) {
    report.pass('holder_binding', 'every credential inside is about the holder');
  } else {
    report.fail('holder_binding', 'not_the_holders', 'a credential inside is not about the holder');
  }
  return inside;
};

/** @throws JwtError for a credential in a form that others write and that is not read here, by its name */
const assertNoOtherForm = (token: string): void => {
  if (/^\s*[{[]/.test(token)) {
    throw new JwtError(
      'this is JSON, and only JWTs are verified here: send the proof.jwt of a JwtProof2020, or ask the issuer for a JWT',
    );
  }
  if (token.includes('~')) {
    throw new JwtError(
      'this is an SD-JWT, and only JWTs without selective disclosure are verified here',
    );
  }
};

const isFine = ({ checks }: Report): boolean => checks.every(({ ok }) => ok === true);

const verifyOne = async (
  token: string,
  ports: VerifyPorts,
  only?: Claims['kind'],
  expected: Expected = {},
): Promise<Verification> => {
  const report = createReport();
  let jwt: Jwt;
  let claims: Claims;
  try {
    assertNoOtherForm(token);
    jwt = parseJwt(token, { maxBytes: maxTokenBytes });
    claims = readClaims(jwt);
  } catch (error) {
    return refusedAt(report, error);
  }
  if (only !== undefined && claims.kind !== only) {
    report.fail('format', 'no_credential', `a ${claims.kind} stands where a ${only} must be`);
    const checks = report.checks;
    return { valid: false, checks, issuer: null, subject: null, credential: null };
  }
  report.pass('format', 'a compact JWS that says everything once');
  report.pass('data_model', `a ${claims.kind} of VC ${claims.model}`);
  report.pass('issuer', 'what is said twice is the same');
  checkTime(claims, ports.nowMs, report);
  checkStatus(claims, report);
  const key = await findKey(jwt, claims, ports, report);
  const signed = key !== undefined && checkSignature(jwt, key, report);
  if (signed && key.own) await checkOwn(token, key.own, claims, ports, report);
  const isPresentation = claims.kind === 'presentation';
  if (isPresentation) checkOccasion(jwt, expected, report);
  else refuseOccasion(expected, report);
  const inside = isPresentation && signed ? await checkInside(claims, ports, report) : undefined;
  const { challenge, domain } = expected;
  if (isPresentation && challenge !== undefined && isFine(report)) {
    // Only a presentation that would count uses a challenge up, and only for its holder.
    const answered = { challenge, domain, holder: claims.issuer, presentation: token };
    if (!(await ports.spendChallenge(answered))) {
      report.fail(
        'challenge',
        'challenge_used',
        'the holder answered this challenge before; give another',
      );
    }
  }
  return {
    valid: isFine(report),
    checks: report.checks,
    issuer: signed ? claims.issuer : null,
    subject: signed ? (claims.subjects[0] ?? null) : null,
    credential: signed ? claims.document : null,
    ...(inside === undefined ? {} : { credentials: inside }),
  };
};

/**
 * Verifies a credential or a presentation with its credentials. Never throws because of the token.
 * @throws errors of the ports
 */
export const verifyCredential = (
  token: string,
  ports: VerifyPorts,
  expected: Expected = {},
): Promise<Verification> => verifyOne(token, ports, undefined, expected);
