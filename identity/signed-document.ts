/**
 * Documents that the service signs: offers, receipts, contracts. A document is a JSON object; its member
 * `jws` is a compact JWS (EdDSA, RFC 8037) whose payload is the rest of it in canonical form (RFC 8785), and
 * whose `kid` is the DID URL of the key. So a stock JOSE library verifies it with the published DID
 * document, and what it verifies is the document itself.
 */
import { hash } from 'node:crypto';
import { canonicalJson } from '../ground/canonical-json.ts';
import { toBase64Url } from './encoding.ts';

/** A key of the service, as documents name it. */
export type DocumentSigner = {
  /** DID URL. */
  kid: string;
  sign(data: string): Uint8Array;
};

/** The signed document. `typ` distinguishes its kinds, so that a receipt is never accepted as an offer. */
export type DocumentType = 'anp-offer+jws' | 'anp-receipt+jws' | 'anp-contract+jws';

/** SHA-256 of the canonical form, base64url. */
export const documentHash = (document: object): string => canonicalHash(canonicalJson(document));

/** The same for documents in canonical form. */
export const canonicalHash = (text: string): string => hash('sha256', text, 'base64url');

/** The compact JWS of a document, which has no `jws` yet. Ed25519 is deterministic: so is this. */
export const signDocument = (
  document: object,
  type: DocumentType,
  signer: DocumentSigner,
): string => signCanonical(canonicalJson(document), type, signer);

/** The same for documents in canonical form. */
export const signCanonical = (
  text: string,
  type: DocumentType,
  { kid, sign }: DocumentSigner,
): string => {
  const encode = (part: string): string => Buffer.from(part).toString('base64url');
  const header = encode(canonicalJson({ alg: 'EdDSA', kid, typ: type }));
  const signingInput = `${header}.${encode(text)}`;
  return `${signingInput}.${toBase64Url(sign(signingInput))}`;
};

/** The document that a JWS of ours signs, which was checked when it was made. */
export const documentIn = <T>(jws: string): T =>
  JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString()) as T;
