import { createHmac, type KeyObject } from 'node:crypto';
import { AppError } from '../../contract/errors.ts';
import { toTimestamp } from '../../ground/clock.ts';
import { isMadeWith, type RotatingKey } from '../../ground/rotating-key.ts';

/** The claim that a challenge is bound to. `replaces`: since when the account has its current DID. */
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
export const createDidChallenges = (key: RotatingKey, serviceDid: () => string) => {
  const sentence = (one: KeyObject | Buffer, claim: DidClaim, expiresAt: string): string => {
    const { accountId, did, replaces = '' } = claim;
    const service = serviceDid();
    const code = createHmac('sha256', one)
      .update(JSON.stringify([service, accountId, did, replaces, expiresAt]))
      .digest('base64url');
    return `I act for the account ${accountId} of the letters service ${service} as ${did}. Valid until ${expiresAt}. Code ${code}`;
  };

  return {
    issue(claim: DidClaim, nowMs: number): { challenge: string; expiresAt: string } {
      const expiresAt = toTimestamp(nowMs + challengeMs);
      return { challenge: sentence(key()[0], claim, expiresAt), expiresAt };
    },

    /** @throws AppError did_challenge_invalid */
    check(challenge: string, claim: DidClaim, nowMs: number): void {
      const [, expiresAt = ''] = / Valid until (\S{24})\. Code \S{43}$/.exec(challenge) ?? [];
      if (!isMadeWith(key, challenge, (one) => sentence(one, claim, expiresAt))) {
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
