import type { SigningKey } from '../../identity/keys.ts';

/** The message with which an issuer outside of the service revokes its UCAN (UCAN 0.10.0 §6.6). */
export const signRevocation = (cid: string, key: SigningKey) => ({
  iss: key.did,
  revoke: cid,
  challenge: key.sign(`REVOKE:${cid}`).toString('base64').replace(/=+$/, ''),
});
