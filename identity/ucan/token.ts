/**
 * One UCAN 0.10.0 token: its form, its signature, its writing.
 * Source: ucan-wg/spec v0.10.0; facts/identity.md §1.1 and §1.5.
 */
import { sentence } from '../../ground/sentence.ts';
import { EncodingError } from '../encoding.ts';
import { type Jwt, JwtError, parseJwt, signJwt } from '../jwt.ts';
import {
  algOf,
  KeyError,
  type PublicKey,
  publicKeyFromMultikey,
  type SigningKey,
  verifySignature,
} from '../keys.ts';
import { cidOf, isCid } from './cid.ts';
import { UcanError, type UcanErrorCode } from './error.ts';

export const ucanVersion = '0.10.0';

export type Caveat = Record<string, unknown>;
/** Resource → ability → caveats, of which one must fit. */
export type Capabilities = Record<string, Record<string, Caveat[]>>;

export type UcanPayload = {
  ucv: typeof ucanVersion;
  iss: string;
  aud: string;
  /** Seconds since the epoch, inclusive; null: never. */
  exp: number | null;
  nbf?: number;
  nnc?: string;
  fct?: Record<string, unknown>;
  cap: Capabilities;
  prf?: string[];
};

/** A token with a valid form. Its signature is not checked yet. */
export type Ucan = { token: string; cid: string; alg: string; jwt: Jwt; payload: UcanPayload };

export type TokenLimits = { ucanBytes: number; ucanCaveats: number };

const refuse = (code: UcanErrorCode, detail: string): UcanError => new UcanError(code, detail);

const didPattern = /^did:[a-z0-9]+:[A-Za-z0-9._:%-]+(?:#[A-Za-z0-9._:%-]+)?$/;
const semverPattern = /^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/;
/** At least one namespace, or the top. */
const abilityPattern = /^(?:\*|[^/\s]+(?:\/[^/\s]+)+)$/;
const resourcePattern = /^[a-zA-Z][a-zA-Z0-9+.-]*:\S+$/;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const required = (from: Record<string, unknown>, name: string): unknown => {
  if (!Object.hasOwn(from, name)) throw refuse('missing_field', `The field ${name} is missing.`);
  return from[name];
};

const incorrect = (name: string, rule: string): UcanError =>
  refuse('incorrect_type', `The field ${name} must be ${rule}.`);

const checkHeader = (header: Record<string, unknown>): string => {
  if (Object.hasOwn(header, 'ucv') || Object.hasOwn(header, 'uav')) {
    throw refuse(
      'unsupported_version',
      'The version is in the header, as before 0.10.0; issue the token as UCAN 0.10.0.',
    );
  }
  const alg = required(header, 'alg');
  const typ = required(header, 'typ');
  if (typeof alg !== 'string') throw incorrect('alg', 'a string');
  if (typ !== 'JWT') throw incorrect('typ', '"JWT"');
  if (Object.keys(header).length > 2) {
    throw refuse('malformed', 'The header holds alg and typ and nothing else.');
  }
  return alg;
};

const checkVersion = (payload: Record<string, unknown>): void => {
  const ucv = required(payload, 'ucv');
  if (typeof ucv !== 'string' || !semverPattern.test(ucv))
    throw incorrect('ucv', 'a semantic version');
  if (ucv !== ucanVersion) {
    throw refuse(
      'unsupported_version',
      `UCAN ${ucanVersion} is understood here, and nothing else.`,
    );
  }
};

const checkDid = (payload: Record<string, unknown>, name: 'iss' | 'aud'): void => {
  const did = required(payload, name);
  if (typeof did !== 'string' || did.length > 2_048 || !didPattern.test(did))
    throw incorrect(name, 'a DID');
};

const isSeconds = (value: unknown): boolean =>
  Number.isSafeInteger(value) && (value as number) >= 0;

const checkTimes = (payload: Record<string, unknown>): void => {
  const exp = required(payload, 'exp');
  if (exp !== null && !isSeconds(exp)) throw incorrect('exp', 'whole seconds, or null');
  if (Object.hasOwn(payload, 'nbf') && !isSeconds(payload.nbf))
    throw incorrect('nbf', 'whole seconds');
};

const checkCaveats = (caveats: unknown): number => {
  if (!Array.isArray(caveats) || caveats.length === 0 || !caveats.every(isObject)) {
    throw incorrect(
      'cap',
      'a map in which each ability has at least one caveat object ({} for none)',
    );
  }
  return caveats.length;
};

const checkCapabilities = (payload: Record<string, unknown>, maxCaveats: number): void => {
  const cap = required(payload, 'cap');
  if (!isObject(cap)) throw incorrect('cap', 'a map of resources');
  let count = 0;
  for (const [resource, abilities] of Object.entries(cap)) {
    if (!resourcePattern.test(resource)) throw incorrect('cap', 'a map whose keys are URIs');
    if (!isObject(abilities) || Object.keys(abilities).length === 0) {
      throw incorrect('cap', 'a map in which each resource has at least one ability');
    }
    for (const [ability, caveats] of Object.entries(abilities)) {
      if (!abilityPattern.test(ability))
        throw incorrect('cap', 'a map of abilities such as letters/send');
      count += checkCaveats(caveats);
    }
  }
  if (count > maxCaveats) {
    throw refuse(
      'malformed',
      `The capabilities have ${count} caveats and the limit is ${maxCaveats}.`,
    );
  }
};

const checkRest = (payload: Record<string, unknown>): void => {
  const { nnc, fct, prf } = payload;
  if (nnc !== undefined && typeof nnc !== 'string') throw incorrect('nnc', 'a string');
  if (fct !== undefined && !isObject(fct)) throw incorrect('fct', 'a map');
  if (prf === undefined) return;
  if (!Array.isArray(prf)) throw incorrect('prf', 'a list of CIDs');
  if (!prf.every((cid) => typeof cid === 'string' && isCid(cid))) {
    throw refuse('incorrect_proofs', 'Each entry of prf must be the CID of a token.');
  }
};

/** Deeper JSON is no caveat or fact that anybody means; it would cost the stack of who compares it. */
const maxNesting = 64;

/** How deep the JSON value is; it was parsed, so that it ends. */
const isTooNested = (value: unknown, depth = 0): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (depth >= maxNesting || Object.values(value).some((inner) => isTooNested(inner, depth + 1)));

/** As a token is written in the header Authorization, and where SERVICE_API_KEY holds it. */
const headerPrefix = /^ucan:/i;

const parseStrictly = (token: string, limits: TokenLimits): Jwt => {
  if (headerPrefix.test(token)) {
    throw refuse('malformed', 'Leave out "ucan:": it stands before a token in Authorization only.');
  }
  let jwt: Jwt;
  try {
    jwt = parseJwt(token, { maxBytes: limits.ucanBytes, canonical: true });
  } catch (error) {
    if (error instanceof JwtError) throw refuse('malformed', sentence(error.message));
    throw error;
  }
  if (isTooNested(jwt.header) || isTooNested(jwt.payload)) {
    throw refuse('malformed', `The JSON of the token is nested deeper than ${maxNesting}.`);
  }
  return jwt;
};

/**
 * Reads a token and checks its form.
 * @throws UcanError malformed, missing_field, incorrect_type, incorrect_proofs, unsupported_version
 */
export const parseUcan = (token: string, limits: TokenLimits, cid = cidOf(token)): Ucan => {
  const jwt = parseStrictly(token, limits);
  const alg = checkHeader(jwt.header);
  checkVersion(jwt.payload);
  checkDid(jwt.payload, 'iss');
  checkDid(jwt.payload, 'aud');
  checkTimes(jwt.payload);
  checkCapabilities(jwt.payload, limits.ucanCaveats);
  checkRest(jwt.payload);
  return { token, cid, alg, jwt, payload: jwt.payload as UcanPayload };
};

/** A DID without the fragment that names one of its keys. */
export const withoutFragment = (did: string): string => did.split('#', 1)[0] ?? did;

const keyOfIssuer = (iss: string): PublicKey => {
  const [did = '', fragment] = iss.split('#', 2);
  const multikey = did.slice('did:key:'.length);
  if (!did.startsWith('did:key:') || (fragment !== undefined && fragment !== multikey)) {
    throw refuse('unsupported_did', 'The issuer of a token must be a did:key.');
  }
  try {
    return publicKeyFromMultikey(multikey);
  } catch (error) {
    if (!(error instanceof KeyError || error instanceof EncodingError)) throw error;
    throw refuse('unsupported_did', 'The did:key of the issuer is no key that is supported here.');
  }
};

/** Public keys of issuers that were seen; making one costs as much as a signature check. */
export type IssuerKeys = (iss: string) => PublicKey;

/** @param max keys that are kept */
export const createIssuerKeys = (max = 10_000): IssuerKeys => {
  const known = new Map<string, PublicKey>();
  return (iss) => {
    const found = known.get(iss);
    if (found) return found;
    const key = keyOfIssuer(iss);
    if (known.size >= max) known.clear();
    known.set(iss, key);
    return key;
  };
};

/** @throws UcanError unsupported_did, unsupported_alg, signature */
export const assertSigned = (ucan: Ucan, keys: IssuerKeys): void => {
  const { payload, alg, jwt } = ucan;
  const key = keys(payload.iss);
  // The algorithm follows from the key, whatever the header says.
  if (alg !== algOf(key.type)) {
    throw refuse(
      'unsupported_alg',
      `The key of the issuer signs ${algOf(key.type) ?? 'nothing'}; alg is another one.`,
    );
  }
  if (!verifySignature(key, alg, jwt.signingInput, jwt.signature)) {
    throw refuse('signature', 'The signature is not one of the issuer over this token.');
  }
};

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
};

/**
 * Writes and signs a token in the one form that every implementation gives the same CID: keys sorted, no
 * spaces, absent fields left out.
 */
export const issueUcan = (
  payload: Omit<UcanPayload, 'ucv' | 'iss'>,
  key: SigningKey,
): { token: string; cid: string } => {
  const whole = sorted({ ...payload, ucv: ucanVersion, iss: key.did }) as object;
  const token = signJwt({ alg: 'EdDSA', typ: 'JWT' }, whole, (input) => key.sign(input));
  return { token, cid: cidOf(token) };
};
