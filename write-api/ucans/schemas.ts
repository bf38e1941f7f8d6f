/** What a caller sends about UCANs, within the limits that are configured. */
import Type from 'typebox';
import { defaultLifetimeSeconds } from '../../commands/ucans/issue-ucan.ts';
import type { Limits } from '../../contract/limits.ts';

export const Audience = Type.String({
  pattern: '^did:[a-z0-9]+:[A-Za-z0-9._:%-]+$',
  maxLength: 2_048,
  description: 'The DID that may use it.',
});
export const Cid = Type.String({ pattern: '^b[a-z2-7]{20,127}$' });
/** Longer than any valid token, so that one that is too long is judged, too. */
export const Token = ({ ucanBytes }: Limits) =>
  Type.String({ minLength: 1, maxLength: 4 * ucanBytes });
export const Proofs = (limits: Limits) =>
  Type.Array(Token(limits), {
    maxItems: 2 * limits.ucanProofs,
    description: 'Further tokens of the chain that were not issued here.',
  });
/** A lifetime, where none is asked for: never above the limit. */
export const usualLifetime = ({ ucanLifetimeSeconds }: Limits): number =>
  Math.min(defaultLifetimeSeconds, ucanLifetimeSeconds);
export const Lifetime = (limits: Limits) =>
  Type.Integer({
    minimum: 1,
    maximum: limits.ucanLifetimeSeconds,
    description: `Seconds; ${usualLifetime(limits)} when absent.`,
  });
