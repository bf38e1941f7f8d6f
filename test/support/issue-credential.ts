import {
  type CredentialEvent,
  type CredentialIssuer,
  type CredentialPlace,
  credentialSubjectOf,
  encodeEventCredential,
  type PreviousCredential,
  withSignature,
} from '../../identity/event-credential.ts';

/** Issues the credential of an event. `next` is the `previous` of the next one of its stream. */
export const issueEventCredential = (
  event: CredentialEvent,
  place: CredentialPlace,
  issuer: Omit<CredentialIssuer, 'sign'> & { sign(data: Uint8Array): Uint8Array },
): { jwt: string; next: PreviousCredential } => {
  const subject = credentialSubjectOf(event, place);
  const unsigned = encodeEventCredential(event, subject, issuer);
  const { jwt, hash } = withSignature(unsigned, issuer.sign(unsigned.signed));
  return { jwt, next: { hash, subject } };
};
