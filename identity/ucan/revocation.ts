/** Revocation messages. Source: UCAN 0.10.0 §6.6. */
import { algOf, verifySignature } from '../keys.ts';
import { UcanError } from './error.ts';
import { createIssuerKeys } from './token.ts';

/** `challenge`: base64 without padding of the issuer's signature over `REVOKE:<cid>`. */
type Revocation = { iss: string; revoke: string; challenge: string };

const said = (cid: string): string => `REVOKE:${cid}`;

/** Whether the message was signed by the DID that it names. */
export const isSignedRevocation = ({ iss, revoke, challenge }: Revocation): boolean => {
  const signature = Buffer.from(challenge, 'base64');
  if (signature.toString('base64').replace(/=+$/, '') !== challenge) return false;
  try {
    const key = createIssuerKeys(1)(iss);
    return verifySignature(key, algOf(key.type) ?? '', said(revoke), signature);
  } catch (error) {
    if (error instanceof UcanError) return false;
    throw error;
  }
};
