/**
 * Signatures of a revoked key above its trusted size do not count, although most are genuine. For each such
 * credential the service states again, with its current key, that it belongs to the event in the store. This
 * separates credentials that the service issued from those that a thief signed.
 */
import { mapInSlices } from '../ground/slices.ts';
import type { StatementSigner } from './audit-bundle.ts';
import type { AuditedEvent, AuditHistory, PublishedKey } from './audit-history.ts';
import { parseJwt, signJwt } from './jwt.ts';

/** Header `typ`. */
const reattestationType = 'letters-reattestation+jwt';

const maxBytes = 64 * 1_024;

type Signed = { kid: unknown; eventHash: unknown };

const signedIn = (jwt: string): Signed => {
  const { header, payload } = parseJwt(jwt, { maxBytes });
  const { vc } = payload as { vc?: { credentialSubject?: { eventHash?: unknown } } };
  return { kid: header.kid, eventHash: vc?.credentialSubject?.eventHash };
};

/** The key of a credential that does not count any more. */
const distrustedKey = (
  keys: readonly PublishedKey[],
  kid: unknown,
  logIndex: number,
): PublishedKey | undefined =>
  keys.find(
    (key) =>
      key.purpose === 'credential' &&
      key.state === 'revoked' &&
      key.kids.some((one) => one === kid) &&
      logIndex >= (key.trustedLogSize ?? 0),
  );

const seconds = (time: string): number => Math.floor(Date.parse(time) / 1_000);

const attest = (
  letterId: string,
  { sequence, eventHash, credential }: AuditedEvent,
  keys: readonly PublishedKey[],
  signer: StatementSigner,
): string[] => {
  if (!credential) return [];
  const signed = signedIn(credential.jwt);
  const revoked = distrustedKey(keys, signed.kid, credential.logIndex);
  if (!revoked || signed.eventHash !== eventHash) return [];
  const since = Math.max(
    seconds(signer.validFrom),
    revoked.validUntil === undefined ? 0 : seconds(revoked.validUntil),
  );
  const payload = {
    iss: signer.kid.slice(0, signer.kid.indexOf('#')),
    sub: `urn:uuid:${letterId}`,
    iat: since,
    sequence,
    eventHash,
    credentialHash: credential.hash,
    logIndex: credential.logIndex,
  };
  return [signJwt({ alg: 'EdDSA', kid: signer.kid, typ: reattestationType }, payload, signer.sign)];
};

/**
 * Of a history: one for each credential whose key is not trusted with it. Other work of the event loop runs in
 * between, because each costs a signature.
 */
export const reattest = async (
  { letterId, events }: Pick<AuditHistory, 'letterId' | 'events'>,
  keys: readonly PublishedKey[],
  signer: StatementSigner,
): Promise<string[]> => {
  if (!keys.some(({ state }) => state === 'revoked')) return [];
  return (await mapInSlices(events, (event) => attest(letterId, event, keys, signer))).flat();
};
