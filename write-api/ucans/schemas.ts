/** Requests about UCANs, within the configured limits. */

import { defaultLifetimeSeconds } from '../../commands/ucans/issue-ucan.ts';
import { invalidField } from '../../contract/refusals.ts';
import { Type } from '../../ground/type.ts';
import { type Did, DidError, parseDid } from '../../identity/did.ts';
import { publicKeyOfDidKey } from '../../identity/did-key.ts';
import { didPkhDocument } from '../../identity/did-pkh.ts';
import { didWebUrl } from '../../identity/did-web.ts';
import type { Limits } from '../../limits/table.ts';

/** DIDs in events are at least this long. */
const minDidChars = 8;

export const Audience = Type.String({
  pattern: '^did:[a-z0-9]+:[A-Za-z0-9._:%-]+$',
  maxLength: 2_048,
  description: 'The DID that may use it, such as did:key:z6Mk….',
});
/** Of a method that is known here the identifier must be one of it; of others it is a DID as text. */
const readable = new Map<string, (did: Did) => unknown>([
  ['key', publicKeyOfDidKey],
  ['pkh', didPkhDocument],
  ['web', didWebUrl],
]);

/** @throws AppError validation_failed */
export const assertAudience = (audience: string | undefined): void => {
  if (audience === undefined) return;
  try {
    const did = parseDid(audience);
    if (audience.length < minDidChars) throw new DidError('invalidDid', 'it is too short');
    readable.get(did.method)?.(did);
  } catch (error) {
    if (!(error instanceof DidError)) throw error;
    throw invalidField(
      '/audience',
      'invalid_did',
      `audience is not a DID that can use the token: ${error.message}.`,
    );
  }
};

export const Cid = Type.String({
  pattern: '^b[a-z2-7]{20,127}$',
  maxLength: 128,
  description: 'The CID of a UCAN, as the answer that issued it shows it: bafkrei….',
});
/** Longer than any valid token, so that one that is too long is judged, too. */
export const Token = ({ ucanBytes }: Limits) =>
  Type.String({ minLength: 1, maxLength: 4 * ucanBytes, 'x-max-bytes': 4 * ucanBytes });
export const Proofs = (limits: Limits) =>
  Type.Array(Token(limits), {
    maxItems: 2 * limits.ucanProofs,
    // The longest chain of the longest tokens.
    'x-max-bytes': limits.ucanDepth * limits.ucanBytes,
    description: 'Further tokens of the chain that were not issued here.',
  });
/** A lifetime, where none is asked for: never above the limit. */
export const usualLifetime = ({ ucanLifetimeSeconds }: Limits): number =>
  Math.min(defaultLifetimeSeconds, ucanLifetimeSeconds);
export const Lifetime = (limits: Limits) =>
  Type.Integer({
    minimum: 1,
    maximum: limits.ucanLifetimeSeconds,
    description: `In seconds. Default: ${usualLifetime(limits)}.`,
  });
