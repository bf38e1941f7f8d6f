/**
 * did:key: the document follows from the key in the DID.
 * Source: did:key v0.9, "Document Creation Algorithm", with verification methods of the type Multikey.
 */
import { type Did, DidError } from './did.ts';
import type { DidDocument, VerificationMethod } from './did-document.ts';
import { x25519Of } from './ed25519-point.ts';
import { EncodingError } from './encoding.ts';
import { KeyError, multikeyOf, type PublicKey, publicKeyFromMultikey } from './keys.ts';

const contexts = ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/multikey/v1'];

/**
 * The key of a Multikey, its point on the curve.
 * @throws DidError invalidDid, invalidPublicKey, invalidPublicKeyLength, unsupportedPublicKeyType
 */
const readMultikey = (multikey: string): PublicKey => {
  try {
    return publicKeyFromMultikey(multikey);
  } catch (error) {
    if (error instanceof KeyError) throw new DidError(error.code, error.message);
    if (error instanceof EncodingError) throw new DidError('invalidDid', error.message);
    throw error;
  }
};

/** @throws DidError */
export const publicKeyOfDidKey = ({ method, id }: Did): PublicKey => {
  if (method !== 'key') throw new DidError('methodNotSupported', 'the DID is not a did:key');
  if (id.includes(':')) {
    throw new DidError('invalidDid', 'a did:key holds nothing but its key: did:key:z…');
  }
  return readMultikey(id);
};

const methodOf = (did: string, multikey: string): VerificationMethod => ({
  id: `${did}#${multikey}`,
  type: 'Multikey',
  controller: did,
  publicKeyMultibase: multikey,
});

/** All but Ed25519 agree on keys with the key itself, as in the method's test vectors. */
const keyAgreementOf = ({ type, bytes }: PublicKey): string =>
  type === 'Ed25519'
    ? multikeyOf({ type: 'X25519', bytes: x25519Of(bytes) })
    : multikeyOf({ type, bytes });

/** @throws DidError */
export const didKeyDocument = (parsed: Did): DidDocument => {
  const { did, id } = parsed;
  const publicKey = publicKeyOfDidKey(parsed);
  const agreement = keyAgreementOf(publicKey);
  const keyAgreement = [`${did}#${agreement}`];
  if (publicKey.type === 'X25519') {
    return {
      '@context': contexts,
      id: did,
      verificationMethod: [methodOf(did, id)],
      keyAgreement,
    };
  }
  const signing = [`${did}#${id}`];
  const derived = agreement === id ? [] : [methodOf(did, agreement)];
  return {
    '@context': contexts,
    id: did,
    verificationMethod: [methodOf(did, id), ...derived],
    authentication: signing,
    assertionMethod: signing,
    capabilityDelegation: signing,
    capabilityInvocation: signing,
    keyAgreement,
  };
};
