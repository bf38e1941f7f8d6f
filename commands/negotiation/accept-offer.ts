/** Accepting one tier of an offer, which locks its price. */

import { AppError } from '../../contract/errors.ts';
import type { RequestCommand } from '../../contract/operation.ts';
import type { PermitSubject } from '../../contract/permits.ts';
import { keyReused } from '../../contract/refusals.ts';
import type { AcceptedOffer } from '../../events/commitment.ts';
import { DuplicateEventId } from '../../events/event-store.ts';
import { type Clock, toTimestamp } from '../../ground/clock.ts';
import type { Offer, OfferTier, PaymentMethod } from '../../identity/offers.ts';
import type { DocumentVerification } from '../../identity/verify-document.ts';
import type { Limits } from '../../limits/table.ts';
import { centsOf, type MicroUsd, microOfDecimal } from '../../money/amounts.ts';
import { type Amounts, inBucket } from '../../money/buckets.ts';
import { chargeInCents } from '../../money/charge.ts';
import type { TierName } from '../../postal/tiers.ts';
import type { CommandHandler } from '../handling/handle.ts';
import {
  type AgreedOffer,
  acceptOffer,
  assertSame,
  assertSameCommand,
  commitmentAggregate,
  commitmentIdOf,
  lockedTotal,
} from './commitment.ts';
import { lockedUntil } from './discount-end.ts';

type Acceptance = {
  /** The accepted offer: the offer itself, in full or as its `jws`, or the id of a kept offer. */
  offerId?: string | undefined;
  offer?: unknown;
  offerHash?: string | undefined;
  tier: TierName;
  /** Absent: what the wallet can pay with, crypto first. */
  paymentMethod?: PaymentMethod | undefined;
};

type Acceptor = {
  accountId: string;
  test: boolean;
  /** Checks the caveats of the caller's UCAN. @throws AppError caveat_not_met */
  assertAllows: (letter: PermitSubject) => void;
};

type AcceptPorts = {
  handler: CommandHandler;
  clock: Clock;
  limits: Limits;
  /** An offer that we keep, as we signed it; also one that expired a while ago. */
  kept(offerId: string): Promise<Offer | undefined>;
  /** The proved terms of a signed offer. */
  verify(offer: unknown): DocumentVerification;
  /** The money that the wallet can spend, as far as it is known. */
  availableOf(accountId: string): Promise<Amounts>;
  /**
   * The commitments that a command made before, for stores that accept its event id in a second stream, too. A
   * commitment that another process is making at the moment is missing.
   */
  madeBy?(accountId: string, commandId: string): Promise<string[]>;
};

const invalid = (detail: string, checks?: readonly object[]): AppError =>
  new AppError('offer_invalid', detail, checks ? { extra: { checks } } : {});

const notFound = (): AppError =>
  new AppError(
    'offer_not_found',
    'The service has no offer with this offer_id, or no longer keeps it. Send the offer itself as offer, or ask for a new one: POST /api/anp/offer.',
  );

type AcceptOutcome = {
  agreed: AgreedOffer;
  /** It was accepted before, by this or another request. */
  repeated: boolean;
  /** By this very request. */
  replayed: boolean;
  position: bigint;
};

/** Dollars of our own offer. */
const microOf = (amount: number): MicroUsd => {
  const micro = microOfDecimal(amount);
  if (micro === undefined) throw new Error(`${amount} in an offer of ours is not whole cents`);
  return micro;
};

/** The price of a tier as events of letters keep it. */
const priceOf = (
  { fiat, crypto, local }: OfferTier,
  method: PaymentMethod,
  pricingVersion: string,
): AcceptedOffer['price'] => {
  const lines = method === 'crypto' ? crypto : fiat;
  const [postage, print] = [microOf(lines.postage), microOf(lines.printing)];
  const commission = microOf(lines.commission);
  const surcharge = microOf(lines.handling) - commission;
  const charge = {
    subtotal: inBucket(method, postage + print + surcharge),
    commission: inBucket(method, commission),
  };
  return {
    postageCents: centsOf(postage),
    printCents: centsOf(print),
    surchargeCents: centsOf(surcharge),
    charge: chargeInCents(charge),
    pricingVersion,
    ...(lines.discount
      ? {
          discount: {
            contractId: lines.discount.contract_id,
            basisPoints: Math.round(lines.discount.rate * 10_000),
            amountCents: centsOf(microOf(lines.discount.amount)),
          },
        }
      : {}),
    local: {
      currency: local.currency,
      postageCents: Math.round(local.postage * 100),
      rate: local.rate,
    },
  };
};

export type AcceptOfferService = ReturnType<typeof createAcceptOffer>;

export const createAcceptOffer = (ports: AcceptPorts) => {
  const { handler, clock, limits } = ports;

  /**
   * The same acceptance again, of an offer that is no longer kept. @throws AppError offer_not_found,
   * offer_already_accepted
   */
  const acceptedBefore = async (
    { offerId = '', tier, paymentMethod }: Acceptance,
    accountId: string,
    command: RequestCommand,
  ): Promise<AcceptOutcome> => {
    const { state } = await handler.load(commitmentAggregate, commitmentIdOf(offerId));
    if (state.status === 'none') throw notFound();
    const { agreed } = state;
    assertSameCommand(agreed, command);
    assertSame(agreed, { accountId, tier, paymentMethod });
    const replayed = agreed.commandId === command.commandId;
    return { agreed, repeated: true, replayed, position: 0n };
  };

  /** An offer that the caller brought. @throws AppError offer_invalid */
  const proved = (given: unknown): Offer => {
    const { signed, type, checks, document } = ports.verify(given);
    if (signed && type === 'anp-offer+jws') return document as Offer;
    const failed = checks.find(({ ok }) => ok === false);
    const why = failed?.detail ?? 'it is another document';
    throw invalid(`The offer differs from what the service signed: ${why}.`, checks);
  };

  /** Undefined: the offer is no longer kept, or never was. @throws AppError offer_invalid */
  const offerOf = async (acceptance: Acceptance): Promise<Offer | undefined> => {
    const { offerId, offerHash } = acceptance;
    const offer =
      acceptance.offer === undefined ? await ports.kept(offerId ?? '') : proved(acceptance.offer);
    if (offer === undefined) return undefined;
    if (offerId !== undefined && offerId !== offer.offer_id) {
      throw invalid(
        'offer_id differs from the id in the signed offer. Send the offer exactly as you received it.',
      );
    }
    if (offerHash !== undefined && offerHash !== offer.offer_hash) {
      throw invalid(
        'offer_hash differs from the hash of the offer. Send the offer_hash of the offer.',
      );
    }
    return offer;
  };

  const methodFor = async (
    { crypto, fiat }: OfferTier,
    quantity: number,
    accountId: string,
  ): Promise<PaymentMethod> => {
    const available = await ports.availableOf(accountId);
    const count = BigInt(quantity);
    if (available.crypto >= microOf(crypto.total) * count) return 'crypto';
    if (available.fiat >= microOf(fiat.total) * count) return 'fiat';
    return available.crypto > available.fiat ? 'crypto' : 'fiat';
  };

  return {
    /** Whether the account has accepted this offer. */
    async wasAccepted(offerId: string, accountId: string): Promise<boolean> {
      const { state } = await handler.load(commitmentAggregate, commitmentIdOf(offerId));
      return state.status !== 'none' && state.agreed.accountId === accountId;
    },

    /**
     * Accepts one tier, once for ever. @throws AppError offer_not_found, offer_invalid, offer_not_yours,
     * offer_expired, offer_already_accepted, idempotency_key_reused, caveat_not_met
     */
    async accept(
      acceptance: Acceptance,
      { accountId, test, assertAllows }: Acceptor,
      request: RequestCommand,
    ): Promise<AcceptOutcome> {
      const { commandId, actor, requestHash, repeatable } = request;
      const offer = await offerOf(acceptance);
      if (!offer) return acceptedBefore(acceptance, accountId, request);
      const owner = offer.account_id;
      if (owner !== null && owner !== accountId) {
        throw new AppError(
          'offer_not_yours',
          'The offer was made to another account. Ask for one with your own credential: POST /api/anp/offer.',
        );
      }
      const tier = offer.tiers.find((one) => one.tier === acceptance.tier) as OfferTier;
      const paymentMethod =
        acceptance.paymentMethod ?? (await methodFor(tier, offer.quantity, accountId));
      const now = clock();
      const { to_country: country, color, duplex, send_date: sendDate } = offer.request;
      const accepted: AcceptedOffer = {
        commitmentId: commitmentIdOf(offer.offer_id),
        offerId: offer.offer_id,
        offerHash: offer.offer_hash,
        accountId,
        test,
        tier: tier.tier,
        paymentMethod,
        commandId,
        requestHash,
        intent: offer.intent,
        service: tier.service,
        country,
        pages: tier.pages,
        color,
        duplex,
        sendDate,
        quantity: offer.quantity,
        price: priceOf(tier, paymentMethod, offer.pricing_version),
        expiresAt: toTimestamp(now + limits.commitmentHours * 3_600_000),
      };
      accepted.expiresAt = await lockedUntil(handler, accepted);
      assertAllows({
        country: accepted.country,
        service: accepted.service,
        intent: accepted.intent,
        totalMicro: lockedTotal(accepted),
      });
      const command = {
        type: 'AcceptOffer' as const,
        accepted,
        offerExpiresAt: offer.expires_at,
        now: toTimestamp(now),
        methodGiven: acceptance.paymentMethod !== undefined,
      };
      const made = repeatable ? ((await ports.madeBy?.(accountId, commandId)) ?? []) : [];
      if (made.length > 0 && !made.includes(accepted.commitmentId)) throw keyReused();
      const { state, events, position } = await handler
        .handle(
          commitmentAggregate,
          accepted.commitmentId,
          { commandId, actor, repeatable, oneStream: true },
          (commitment) => acceptOffer(commitment, command),
          // A repetition finds its own event: it must not meet it as a duplicate.
          { assumeNew: !repeatable },
        )
        .catch((error: unknown) => {
          throw error instanceof DuplicateEventId ? keyReused() : error;
        });
      if (state.status === 'none') throw new Error('a commitment that was made is not');
      const { agreed } = state;
      const replayed = events.length === 0 && agreed.commandId === commandId;
      return { agreed, repeated: events.length === 0, replayed, position };
    },
  };
};
