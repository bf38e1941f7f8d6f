/**
 * Reads the claims of a signed credential or presentation in both forms: VC data model 1.1 as JWT (`vc`, `vp`
 * next to registered claims) and VC 2.0 with vc-jose-cose (the payload is the credential). Claims that occur
 * twice must be equal.
 */
import type { Jwt } from './jwt.ts';

export type Json = Record<string, unknown>;

/** Why something is not as it must be. `code` is stable, the message is one sentence. */
export class ClaimError extends Error {
  readonly code: string;
  readonly check: CheckName;
  constructor(check: CheckName, code: string, message: string) {
    super(message);
    this.name = 'ClaimError';
    this.check = check;
    this.code = code;
  }
}

export type CheckName =
  | 'format'
  | 'data_model'
  | 'issuer'
  | 'time'
  | 'status'
  | 'key'
  | 'signature'
  | 'key_validity'
  | 'log_inclusion'
  | 'challenge'
  | 'audience'
  | 'credentials'
  | 'holder_binding';

export type Claims = {
  kind: 'credential' | 'presentation';
  model: '1.1' | '2.0';
  /** DID that must have signed: issuer, or holder of a presentation. */
  issuer: string;
  /** Ids of its subjects. */
  subjects: string[];
  /** Seconds since the epoch. */
  notBefore: number | undefined;
  expires: number | undefined;
  /** The credential or presentation in the form of its data model. */
  document: Json;
  /** JWTs inside a presentation. */
  tokens: string[];
};

const v1 = 'https://www.w3.org/2018/credentials/v1';
const v2 = 'https://www.w3.org/ns/credentials/v2';
const maxTokens = 50;
const maxDepth = 64;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const fail = (check: CheckName, code: string, message: string): never => {
  throw new ClaimError(check, code, message);
};

/** Deeper values are refused, because writing them out again would overflow the stack. */
const assertShallow = (value: unknown): void => {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth)
      fail('format', 'malformed', `the payload is nested over ${maxDepth} deep`);
    level = level.flatMap((one) =>
      typeof one === 'object' && one !== null ? Object.values(one) : [],
    );
  }
};

const listOf = (value: unknown): unknown[] => {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
};

const assertTyped = (document: Json, context: string, type: string): void => {
  if (listOf(document['@context'])[0] !== context) {
    fail('data_model', 'wrong_context', `@context must begin with ${context}`);
  }
  if (!listOf(document.type).includes(type)) {
    fail('data_model', 'wrong_type', `type must contain ${type}`);
  }
};

const isUri = (value: unknown): boolean =>
  typeof value === 'string' && /^[A-Za-z][A-Za-z0-9+.-]*:[^\s]+$/.test(value);

/** Members that name their kind by `type`, and whether they must have an `id`, in 1.1 and in 2.0. */
const typedMembers: Record<string, { id11: boolean; id20: boolean }> = {
  credentialStatus: { id11: true, id20: false },
  credentialSchema: { id11: true, id20: true },
  refreshService: { id11: true, id20: false },
  termsOfUse: { id11: false, id20: false },
  evidence: { id11: false, id20: false },
};

const isTyped = (value: unknown): boolean =>
  isObject(value) &&
  listOf(value.type).length > 0 &&
  listOf(value.type).every((one) => typeof one === 'string' && one !== '');

/**
 * Checks the demands of the data models on every document, independent of its subject. Source: VC Data Model
 * 1.1 §4 and §5, VC Data Model 2.0 §4.
 */
const assertStructure = (document: Json, model: '1.1' | '2.0'): void => {
  const malformed = (what: string): never => fail('data_model', 'malformed_document', what);
  const { '@context': context, type, id } = document;
  if (!Array.isArray(context) || !context.every((one) => isUri(one) || isObject(one))) {
    malformed('@context must be a list of URLs and objects');
  }
  if (listOf(type).some((one) => typeof one !== 'string' || one === '')) {
    malformed('type must be names');
  }
  if (id !== undefined && !isUri(id)) malformed('id must be a URL, one');
  if (document.holder !== undefined && idOf(document.holder) === undefined) {
    malformed('holder must be a URL, or an object with one as id');
  }
  if (!listOf(document.proof).every(isTyped)) malformed('proof must have a type');
  for (const [name, { id11, id20 }] of Object.entries(typedMembers)) {
    const needsId = model === '1.1' ? id11 : id20;
    for (const one of listOf(document[name])) {
      if (!isTyped(one)) malformed(`${name} must have a type`);
      const own = (one as Json).id;
      if (own === undefined ? needsId : !isUri(own)) malformed(`${name} must have a URL as id`);
    }
  }
};

const assertSubjects = (document: Json): void => {
  for (const subject of listOf(document.credentialSubject)) {
    if (isObject(subject) && Object.keys(subject).length === 0) {
      fail('data_model', 'no_subject', 'credentialSubject must say something');
    }
    if (isObject(subject) && subject.id !== undefined && !isUri(subject.id)) {
      fail('data_model', 'malformed_document', 'credentialSubject.id must be a URL');
    }
  }
};

/** The id of an issuer or holder, which is a text or an object with one. */
const idOf = (value: unknown): unknown => (isObject(value) ? value.id : value);

/** @throws ClaimError unless the values that are there are the same */
const assertSame = (check: CheckName, code: string, names: string, ...values: unknown[]): void => {
  const said = values.filter((value) => value !== undefined);
  if (said.some((value) => value !== said[0])) {
    fail(check, code, `${names} do not say the same`);
  }
};

const numericDate = (claims: Json, name: 'nbf' | 'exp'): number | undefined => {
  const value = claims[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
    fail('time', 'malformed_time', `${name} must be a number of seconds`);
  }
  return value as number;
};

const instantPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

const instant = (document: Json, name: string): number | undefined => {
  const value = document[name];
  if (value === undefined) return undefined;
  const ms =
    typeof value === 'string' && instantPattern.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(ms)) {
    fail('time', 'malformed_time', `${name} must be an instant with a time zone`);
  }
  return ms / 1_000;
};

/** A claim and its twin in the document say the same second. */
const sameTime = (
  [claimName, claim]: [string, number | undefined],
  [name, value]: [string, number | undefined],
): number | undefined => {
  if (claim !== undefined && value !== undefined && Math.floor(claim) !== Math.floor(value)) {
    fail('time', 'time_mismatch', `${claimName} and ${name} do not say the same`);
  }
  return claim ?? value;
};

const assertDid = (issuer: unknown, what: string): string => {
  if (typeof issuer !== 'string' || !issuer.startsWith('did:') || /[?#/]/.test(issuer)) {
    fail('issuer', 'issuer_not_a_did', `${what} must be a DID`);
  }
  return issuer as string;
};

const subjectsOf = (document: Json, sub: unknown): string[] => {
  const subjects = listOf(document.credentialSubject);
  if (subjects.length === 0 || !subjects.every(isObject)) {
    fail('data_model', 'no_subject', 'credentialSubject must be an object or several');
  }
  const ids = (subjects as Json[]).map(({ id }) => id);
  if (sub !== undefined && (subjects.length !== 1 || (ids[0] !== undefined && ids[0] !== sub))) {
    fail('issuer', 'subject_mismatch', 'sub and credentialSubject.id do not say the same');
  }
  return (sub === undefined ? ids : [sub]).filter((id) => typeof id === 'string');
};

/** Claims that libraries merge into the credential: claims next to it must not change its subject. */
const merged = [
  'credentialSubject',
  '@context',
  'type',
  'issuanceDate',
  'expirationDate',
  'holder',
];

const assertNotMerged = (payload: Json): void => {
  const name = merged.find((one) => one in payload);
  if (name !== undefined) {
    fail('data_model', 'claim_outside', `${name} is next to vc or vp, not inside it`);
  }
};

/**
 * The subject with its id, which many libraries move to `sub`. Source: VC Data Model 1.1 §6.3.1, JWT decoding. Another
 * id of the subject stays and is refused later.
 */
const withSubjectId = (vc: Json, sub: unknown): Json => {
  const { credentialSubject } = vc;
  const [subject, ...others] = listOf(credentialSubject);
  if (!isUri(sub) || !isObject(subject) || subject.id !== undefined || others.length > 0) return vc;
  const named = { id: sub, ...subject };
  return { ...vc, credentialSubject: Array.isArray(credentialSubject) ? [named] : named };
};

const credential11 = (payload: Json): Claims => {
  const vc = withSubjectId(payload.vc as Json, payload.sub);
  assertNotMerged(payload);
  assertTyped(vc, v1, 'VerifiableCredential');
  const issuer = assertDid(payload.iss, 'iss');
  assertSame(
    'issuer',
    'issuer_mismatch',
    'iss, issuer and vc.issuer',
    issuer,
    idOf(payload.issuer),
    idOf(vc.issuer),
  );
  assertSame('issuer', 'id_mismatch', 'jti, id and vc.id', payload.jti, payload.id, vc.id);
  assertStructure(vc, '1.1');
  assertSubjects(vc);
  const subjects = subjectsOf(vc, payload.sub);
  const notBefore = sameTime(
    ['nbf', numericDate(payload, 'nbf')],
    ['issuanceDate', instant(vc, 'issuanceDate')],
  );
  const expires = sameTime(
    ['exp', numericDate(payload, 'exp')],
    ['expirationDate', instant(vc, 'expirationDate')],
  );
  if (notBefore === undefined) fail('time', 'no_issuance_date', 'nbf is missing');
  const document = {
    ...vc,
    ...(payload.jti === undefined ? {} : { id: payload.jti }),
    issuer: vc.issuer ?? issuer,
  };
  return {
    kind: 'credential',
    model: '1.1',
    issuer,
    subjects,
    notBefore,
    expires,
    document,
    tokens: [],
  };
};

const tokensOf = (entries: unknown[], read: (entry: unknown) => string | undefined): string[] => {
  if (entries.length === 0) fail('credentials', 'no_credentials', 'there is no credential inside');
  if (entries.length > maxTokens) {
    fail(
      'credentials',
      'too_many_credentials',
      `there are more than ${maxTokens} credentials inside`,
    );
  }
  return entries.map((entry) => {
    const token = read(entry);
    return (
      token ??
      fail('credentials', 'unsecured_credential', 'a credential inside is not a signed JWT')
    );
  });
};

const presentation11 = (payload: Json): Claims => {
  const vp = payload.vp as Json;
  assertNotMerged(payload);
  assertTyped(vp, v1, 'VerifiablePresentation');
  const issuer = assertDid(payload.iss, 'iss');
  assertSame('issuer', 'holder_mismatch', 'iss and vp.holder', issuer, idOf(vp.holder));
  assertSame('issuer', 'id_mismatch', 'jti and vp.id', payload.jti, vp.id);
  assertStructure(vp, '1.1');
  const tokens = tokensOf(listOf(vp.verifiableCredential), (entry) =>
    typeof entry === 'string' ? entry : undefined,
  );
  return {
    kind: 'presentation',
    model: '1.1',
    issuer,
    subjects: [],
    notBefore: numericDate(payload, 'nbf'),
    expires: numericDate(payload, 'exp'),
    document: { ...vp, holder: issuer },
    tokens,
  };
};

const assertNoWrapper = (payload: Json): void => {
  if ('vc' in payload || 'vp' in payload) {
    fail('data_model', 'wrapped', 'a VC 2.0 payload is the credential; it has no vc or vp claim');
  }
};

const credential20 = (payload: Json): Claims => {
  assertNoWrapper(payload);
  assertTyped(payload, v2, 'VerifiableCredential');
  assertStructure(payload, '2.0');
  assertSubjects(payload);
  const issuer = assertDid(idOf(payload.issuer), 'issuer');
  assertSame('issuer', 'issuer_mismatch', 'iss and issuer', issuer, payload.iss);
  assertSame('issuer', 'id_mismatch', 'jti and id', payload.jti, payload.id);
  return {
    kind: 'credential',
    model: '2.0',
    issuer,
    subjects: subjectsOf(payload, payload.sub),
    notBefore: latest(numericDate(payload, 'nbf'), instant(payload, 'validFrom')),
    expires: earliest(numericDate(payload, 'exp'), instant(payload, 'validUntil')),
    document: payload,
    tokens: [],
  };
};

/** The two may differ in VC 2.0: one is about the proof, the other about the claims. Both must hold. */
const latest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
const earliest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);

const enveloped = 'data:application/vc+jwt,';

const presentation20 = (payload: Json, kid: unknown): Claims => {
  assertNoWrapper(payload);
  assertTyped(payload, v2, 'VerifiablePresentation');
  assertStructure(payload, '2.0');
  const signer = typeof kid === 'string' ? kid.split('#', 1)[0] : undefined;
  const holder = idOf(payload.holder) ?? payload.iss ?? signer;
  const issuer = assertDid(holder, 'holder');
  assertSame('issuer', 'holder_mismatch', 'iss and holder', issuer, payload.iss);
  const tokens = tokensOf(listOf(payload.verifiableCredential), (entry) => {
    const isEnvelope =
      isObject(entry) && listOf(entry.type).includes('EnvelopedVerifiableCredential');
    const id = isEnvelope ? entry.id : undefined;
    return typeof id === 'string' && id.startsWith(enveloped)
      ? id.slice(enveloped.length)
      : undefined;
  });
  return {
    kind: 'presentation',
    model: '2.0',
    issuer,
    subjects: [],
    notBefore: numericDate(payload, 'nbf'),
    expires: numericDate(payload, 'exp'),
    document: payload,
    tokens,
  };
};

/**
 * Reads a token's claims; header `typ` says which data model it is.
 * @throws ClaimError
 */
export const readClaims = ({ header, payload }: Jwt): Claims => {
  assertShallow(payload);
  if ('crit' in header || 'b64' in header) {
    fail(
      'format',
      'crit_not_supported',
      'the header demands extensions (crit), which none is known of',
    );
  }
  const { typ } = header;
  const type = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : typ;
  switch (type) {
    case undefined:
    case 'jwt':
      break;
    case 'vc+jwt':
      return credential20(payload);
    case 'vp+jwt':
      return presentation20(payload, header.kid);
    default:
      return fail('format', 'wrong_typ', 'typ must be JWT (VC 1.1), vc+jwt or vp+jwt (VC 2.0)');
  }
  const [hasVc, hasVp] = [isObject(payload.vc), isObject(payload.vp)];
  if (hasVc === hasVp) {
    fail('data_model', 'no_credential', 'the payload must have either a vc or a vp, an object');
  }
  if ('vc' in payload && 'vp' in payload) {
    fail('data_model', 'no_credential', 'the payload must have either a vc or a vp, not both');
  }
  return hasVc ? credential11(payload) : presentation11(payload);
};
