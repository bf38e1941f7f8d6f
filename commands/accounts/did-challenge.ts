import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '../../contract/errors.ts';
import type { DataKey } from '../../events/data-keys.ts';
import { toTimestamp } from '../../ground/clock.ts';

/** What a challenge is bound to. `replaces`: since when the account has the DID it has now. */
type DidClaim = { accountId: string; did: string; replaces: string | undefined };

/** How long a challenge can be answered. Source: facts/identity.md §5. */
export const challengeMs = 10 * 60_000;

const invalid = (detail: string): AppError =>
  new AppError('did_challenge_invalid', detail, {
    errors: [{ pointer: '/challenge', code: 'did_challenge_invalid', detail }],
  });

export type DidChallenges = ReturnType<typeof createDidChallenges>;

/**
 * Sentences for a caller to sign. Nothing is stored: a sentence carries its own authentication code. The
 * account's current DID is part of it, so a sentence can be answered only once. It names the service, so that
 * the signer sees where it counts: another site could pass it on.
 * @param key 32 bytes, for this purpose only
 * @param serviceDid the DID of the service now
 */
export const createDidChallenges = (key: DataKey, serviceDid: () => string) => {
  const sentence = (claim: DidClaim, expiresAt: string): string => {
    const { accountId, did, replaces = '' } = claim;
    const service = serviceDid();
    const code = createHmac('sha256', key)
      .update(JSON.stringify([service, accountId, did, replaces, expiresAt]))
      .digest('base64url');
    return `I act for the account ${accountId} of the letters service ${service} as ${did}. Valid until ${expiresAt}. Code ${code}`;
  };

  return {
    issue(claim: DidClaim, nowMs: number): { challenge: string; expiresAt: string } {
      const expiresAt = toTimestamp(nowMs + challengeMs);
      return { challenge: sentence(claim, expiresAt), expiresAt };
    },

    /** @throws AppError did_challenge_invalid */
    check(challenge: string, claim: DidClaim, nowMs: number): void {
      const [, expiresAt = ''] = / Valid until (\S{24})\. Code \S{43}$/.exec(challenge) ?? [];
      const expected = Buffer.from(sentence(claim, expiresAt));
      const given = Buffer.from(challenge);
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
        throw invalid(
          'challenge does not belong to an open challenge for this account and DID. Ask for a new one.',
        );
      }
      if (expiresAt <= toTimestamp(nowMs)) {
        throw invalid(`challenge expired at ${expiresAt}. Ask for a new one.`);
      }
    },
  };
};
