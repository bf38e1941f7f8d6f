/** The profile of a customer: for the customer alone. */

import { AppError } from '../../contract/errors.ts';
import { type AnyOperation, operation } from '../../contract/operation.ts';
import type { Db } from '../../ground/db.ts';
import { Type } from '../../ground/type.ts';
import { totalMicroOf } from '../../presenters/price.ts';
import { Profile, presentProfile } from '../../presenters/profile.ts';
import { acceptedTiers, commitmentsOf } from '../../projections/commitments/query.ts';
import { sentLetters } from '../../projections/letters/query.ts';

/** CHOICE: habits are those of the last offers and letters. */
export const learnedOffers = 100;
const learnedLetters = 500;

type ProfilePorts = {
  db: Db;
  /** The DID that acts for an account. */
  didOf(accountId: string): Promise<string | undefined>;
};

export const profileOperation = ({ db, didOf }: ProfilePorts): AnyOperation =>
  operation({
    name: 'get_customer_profile',
    method: 'GET',
    path: '/api/anp/profiles/{customer_did}',
    tag: 'Negotiation',
    summary: 'Get the profile of a customer',
    description:
      'Persona, average spend and preferred tiers, derived from the accepted offers and sent letters, with the reasons. The profile affects the recommendation in an offer, but never a price. Only its owner can read it, with scope full, by DID or account id. Any other profile answers 404, whether it exists or not.',
    access: 'full',
    permit: { about: 'account' },
    input: { params: Type.Object({ customer_did: Type.String({ maxLength: 512 }) }) },
    responses: { 200: { description: 'The profile', schema: Profile } },
    errors: ['profile_not_found'],
    async handle({ params, caller: { accountId } }) {
      const did = await didOf(accountId);
      if (params.customer_did !== accountId && params.customer_did !== did) {
        throw new AppError(
          'profile_not_found',
          'Your credential opens no profile of this customer. Ask with the account id or the DID of your own account.',
        );
      }
      const [{ count, latest }, tiers, [last]] = await Promise.all([
        sentLetters(db, accountId, learnedLetters),
        acceptedTiers(db, [accountId], learnedOffers),
        commitmentsOf(db, accountId, { before: undefined, limit: 1 }),
      ]);
      const profile = presentProfile({
        accountId,
        did,
        letters: count,
        tiers: tiers.get(accountId) ?? {},
        latest: latest.map(({ terms, createdAt }) => ({
          intent: terms.intent,
          totalMicro: totalMicroOf(terms.price),
          at: createdAt,
        })),
        lastAcceptedAt: last?.agreed.acceptedAt,
      });
      return { body: profile };
    },
  });
