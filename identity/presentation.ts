/**
 * Verifiable Presentations: credentials of a holder, signed by the holder for one occasion.
 * Source: W3C Verifiable Credentials Data Model 1.1 §6.3.1 (JWT); `nonce` and `aud` as did-jwt-vc has them.
 */
import type { SigningKey } from './keys.ts';

/** How long a presentation holds. Source: facts/identity.md §5. */
export const presentationSeconds = 600;

/**
 * A presentation as JWT, signed by the key of the holder's did:key.
 * @param options.nonce the verifier's challenge, or a random value
 * @param options.domain the intended verifier; absent: everyone who gets it
 * @param options.id UUID
 */
export const createPresentation = async (
  holder: Pick<SigningKey, 'did' | 'multikey' | 'sign'>,
  credentials: string[],
  options: {
    nonce: string;
    domain?: string;
    id: string;
    nowSeconds: number;
    expiresAtSeconds: number;
  },
): Promise<string> => {
  const { nonce, domain, id, nowSeconds, expiresAtSeconds } = options;
  const { createVerifiablePresentationJwt } = await import('did-jwt-vc');
  return createVerifiablePresentationJwt(
    {
      vp: {
        '@context': ['https://www.w3.org/2018/credentials/v1'],
        type: ['VerifiablePresentation'],
        verifiableCredential: credentials,
      },
      jti: `urn:uuid:${id}`,
      nonce,
      nbf: nowSeconds,
      exp: expiresAtSeconds,
    },
    {
      did: holder.did,
      alg: 'EdDSA',
      signer: async (data) => holder.sign(data).toString('base64url'),
    },
    {
      header: { kid: `${holder.did}#${holder.multikey}` },
      ...(domain === undefined ? {} : { domain }),
    },
  );
};
