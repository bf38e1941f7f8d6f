/**
 * DIDs and DID URLs as text.
 * Source: W3C Decentralized Identifiers 1.0, §3.1 and §3.2 (ABNF); error codes of W3C DID Resolution and
 * of did:key.
 */

/** Why a DID could not be resolved, as clients of DID resolution spell it. */
export type DidErrorCode =
  | 'invalidDid'
  | 'invalidDidUrl'
  | 'invalidPublicKey'
  | 'invalidPublicKeyLength'
  | 'unsupportedPublicKeyType'
  | 'methodNotSupported'
  | 'unsupportedNetwork'
  | 'notFound'
  | 'deactivated'
  | 'representationNotSupported'
  | 'invalidDidDocument'
  | 'internalError';

/** The message is one sentence that may be shown to the caller. */
export class DidError extends Error {
  readonly code: DidErrorCode;
  constructor(code: DidErrorCode, message: string) {
    super(message);
    this.name = 'DidError';
    this.code = code;
  }
}

/** `id` is the part after the method. */
export type Did = { did: string; method: string; id: string };

/** `path` with its `/`; `query` and `fragment` without `?` and `#`. */
type DidUrl = Did & { path: string; query?: string; fragment?: string };

/** Far above the longest did:key in use (RSA 4096: 730 characters). */
const maxDidChars = 2_048;

const idChar = '(?:[A-Za-z0-9._-]|%[0-9A-Fa-f]{2})';
const didText = `did:([a-z0-9]+):((?:${idChar}*:)*${idChar}+)`;
const didPattern = new RegExp(`^${didText}$`);
const didStart = new RegExp(`^${didText}(?=[/?#])`);

const pathChar = "(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})";
const urlRest = new RegExp(
  `^((?:/${pathChar}*)*)(?:\\?((?:${pathChar}|[/?])*))?(?:#((?:${pathChar}|[/?])*))?$`,
);

const didWord = /^did:[a-z0-9]+:./;

const shown = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);

const splitUrl = (text: string): DidUrl | undefined => {
  const [did, method, id] = didStart.exec(text) ?? didPattern.exec(text) ?? [];
  if (did === undefined || method === undefined || id === undefined) return undefined;
  const rest = urlRest.exec(text.slice(did.length));
  if (rest === null) return undefined;
  const [, path = '', query, fragment] = rest;
  return {
    did,
    method,
    id,
    path,
    ...(query === undefined ? {} : { query }),
    ...(fragment === undefined ? {} : { fragment }),
  };
};

const notADid = (text: string): DidError => {
  if (text.length > maxDidChars) {
    return new DidError('invalidDid', `a DID has at most ${maxDidChars} characters`);
  }
  if (didWord.test(text) && /[/?#]/.test(text)) {
    const url = splitUrl(text);
    if (url === undefined) {
      return new DidError('invalidDidUrl', `"${shown(text)}" is neither a DID nor a DID URL`);
    }
    return new DidError('invalidDid', `"${shown(text)}" is a DID URL; give the DID, ${url.did}`);
  }
  return new DidError(
    'invalidDid',
    `"${shown(text)}" is not a DID; write it as did:method:identifier, e.g. did:key:z6Mk…`,
  );
};

/** @throws DidError invalidDid, invalidDidUrl (a DID followed by invalid text) */
export const parseDid = (text: string): Did => {
  const match = text.length > maxDidChars ? null : didPattern.exec(text);
  const [did, method, id] = match ?? [];
  if (did === undefined || method === undefined || id === undefined) throw notADid(text);
  return { did, method, id };
};
