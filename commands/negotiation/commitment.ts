/**
 * A commitment: one tier of an offer, accepted. It says once what was agreed to and never changes; which
 * letters use it is decided in the wallet that pays for them (commands/wallets/reserve-funds.ts).
 */
import { hash } from 'node:crypto';
import { AppError } from '../../contract/errors.ts';
import { keyReused } from '../../contract/refusals.ts';
import {
  type AcceptedOffer,
  type CommitmentEvent,
  commitmentStream,
} from '../../events/commitment.ts';
import { dollars, type MicroUsd } from '../../money/amounts.ts';
import { chargeOfCents, totalOf } from '../../money/charge.ts';
import type { Aggregate } from '../handling/aggregate.ts';
import type { LockedPrice } from '../wallets/reserve-funds.ts';

export type AgreedOffer = AcceptedOffer & { acceptedAt: string };
type Commitment = { status: 'none' } | { status: 'agreed'; agreed: AgreedOffer };

/** The commitment of an offer: one, no matter who accepts it how often. */
export const commitmentIdOf = (offerId: string): string =>
  `commitment_${hash('sha256', `commitment:${offerId}`, 'buffer').toString('base64url', 0, 16)}`;

export const initialState = (): Commitment => ({ status: 'none' });

export const evolve = (_state: Commitment, event: CommitmentEvent, at: string): Commitment => ({
  status: 'agreed',
  agreed: { ...event.data, acceptedAt: at },
});

/** The price of one letter. */
export const lockedTotal = ({ price }: Pick<AcceptedOffer, 'price'>): MicroUsd =>
  totalOf(chargeOfCents(price.charge));

export const lockedPrice = (agreed: AcceptedOffer): LockedPrice => ({
  commitmentId: agreed.commitmentId,
  quantity: agreed.quantity,
  bucket: agreed.paymentMethod,
  charge: chargeOfCents(agreed.price.charge),
});

type AcceptOffer = {
  type: 'AcceptOffer';
  accepted: AcceptedOffer;
  /** Until when the offer may be accepted. */
  offerExpiresAt: string;
  /** RFC 3339. */
  now: string;
  /** The payment method was asked for, not chosen by us. */
  methodGiven: boolean;
};

const takenByOther = (): AppError =>
  new AppError(
    'offer_already_accepted',
    'The offer was accepted by another account. Ask for a new offer: POST /api/anp/offer.',
  );

/**
 * Whether an offer is accepted again as it was.
 * @param again.paymentMethod undefined: whichever it was
 * @throws AppError offer_already_accepted
 */
export const assertSame = (
  agreed: AgreedOffer,
  again: { accountId: string; tier: string; paymentMethod: string | undefined },
): void => {
  if (agreed.accountId !== again.accountId) throw takenByOther();
  const { tier, paymentMethod, commitmentId } = agreed;
  if (tier === again.tier && (again.paymentMethod ?? paymentMethod) === paymentMethod) return;
  throw new AppError(
    'offer_already_accepted',
    `The offer was already accepted as ${tier}, to be paid by ${paymentMethod} (${dollars(lockedTotal(agreed))}). Use that commitment, or ask for a new offer.`,
    { extra: { tier, payment_method: paymentMethod, commitment_id: commitmentId } },
  );
};

/** @throws AppError idempotency_key_reused for another request under the key that accepted the offer */
export const assertSameCommand = (
  agreed: AgreedOffer,
  { commandId, requestHash }: Pick<AcceptedOffer, 'commandId' | 'requestHash'>,
): void => {
  if (agreed.commandId === commandId && agreed.requestHash !== requestHash) throw keyReused();
};

/**
 * Once; the same again is no news, also when the offer has expired since.
 * @throws AppError offer_already_accepted, offer_expired, idempotency_key_reused
 */
export const acceptOffer = (state: Commitment, command: AcceptOffer): CommitmentEvent[] => {
  const { accepted, offerExpiresAt, now, methodGiven } = command;
  if (state.status === 'agreed') {
    const { accountId, tier, paymentMethod } = accepted;
    const asked = methodGiven ? paymentMethod : undefined;
    assertSameCommand(state.agreed, accepted);
    assertSame(state.agreed, { accountId, tier, paymentMethod: asked });
    return [];
  }
  if (now < offerExpiresAt) return [{ type: 'OfferAccepted', data: accepted }];
  throw new AppError(
    'offer_expired',
    `The offer expired at ${offerExpiresAt}. Ask for a new one: POST /api/anp/offer.`,
  );
};

/** The commitment, if it is this account's. @throws AppError commitment_not_found */
export const ownCommitment = (state: Commitment, accountId: string): AgreedOffer => {
  if (state.status === 'agreed' && state.agreed.accountId === accountId) return state.agreed;
  throw new AppError(
    'commitment_not_found',
    'Your account has no commitment with this id. POST /api/anp/accept makes one.',
  );
};

/** @param now RFC 3339 @throws AppError commitment_expired */
export const assertHolds = ({ expiresAt }: AcceptedOffer, now: string): void => {
  if (now < expiresAt) return;
  throw new AppError(
    'commitment_expired',
    `The commitment expired at ${expiresAt}. Ask for a new offer: POST /api/anp/offer.`,
  );
};

export const commitmentAggregate: Aggregate<Commitment, CommitmentEvent> = {
  stream: commitmentStream,
  initialState,
  evolve,
};
