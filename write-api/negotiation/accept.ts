/** Accepting an offer. */
import type { Static } from 'typebox';
import type { AcceptOfferService } from '../../commands/negotiation/accept-offer.ts';
import type { AgreedOffer } from '../../commands/negotiation/commitment.ts';
import { type AnyOperation, type Caller, operation } from '../../contract/operation.ts';
import { totalCaveats } from '../../contract/permits.ts';
import { invalidField } from '../../contract/refusals.ts';
import { type Clock, toTimestamp } from '../../ground/clock.ts';
import { Type } from '../../ground/type.ts';
import { assertPermitted } from '../../identity/ucan/permits.ts';
import { maxDocumentBytes } from '../../identity/verify-document.ts';
import { Commitment, type Issuer, presentCommitment } from '../../presenters/commitment.ts';
import { PaymentMethod, TierName } from '../../presenters/offer.ts';

type AcceptOperationPorts = {
  offers: Pick<AcceptOfferService, 'accept' | 'wasAccepted'>;
  clock: Clock;
  issuer(): Issuer;
  /** Letters that use a commitment, as far as the read model has got. */
  lettersUsing(accountId: string, commitmentId: string): Promise<string[]>;
  /** Until when the agreed price holds, RFC 3339. */
  lockedUntil(agreed: AgreedOffer): Promise<string>;
};

const Body = Type.NamedExact('AcceptOffer', {
  offer_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  offer: Type.Optional(
    Type.Union(
      [
        Type.Object({}, { additionalProperties: true, 'x-max-bytes': maxDocumentBytes }),
        Type.String({
          minLength: 1,
          maxLength: maxDocumentBytes,
          'x-max-bytes': maxDocumentBytes,
        }),
      ],
      {
        description:
          'The offer exactly as you received it, or its `jws`. Send it instead of `offer_id`, or with it to prove what the offer said.',
      },
    ),
  ),
  tier: TierName,
  payment_method: Type.Optional(PaymentMethod),
  offer_hash: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'The version of the offer that you accept. Any other version is refused.',
    }),
  ),
});

type AcceptBody = Static<typeof Body>;

/** The id of the offer, unless it is in a document that is signed as a whole. */
const offerIdIn = ({ offer_id: offerId, offer }: AcceptBody): string | undefined => {
  if (offerId !== undefined || typeof offer !== 'object') return offerId;
  const { offer_id: named } = offer as { offer_id?: unknown };
  return typeof named === 'string' ? named : undefined;
};

export const acceptOperation = (ports: AcceptOperationPorts): AnyOperation =>
  operation({
    name: 'accept_offer',
    method: 'POST',
    path: '/api/anp/accept',
    tag: 'Negotiation',
    summary: 'Accept one tier of an offer',
    description:
      'Locks the price: letters sent with `commitment_id` cost this, up to the number in the offer, even if prices change. Accepting itself is free. An offer can be accepted once; accepting the same tier again returns the same commitment (200). `payment_method` names the money in the wallet that will pay. By default the wallet pays with what it has, cryptocurrency first.',
    access: 'send',
    permit: { about: 'account', honours: ['countries', 'services', 'intents', ...totalCaveats] },
    payable: {
      priceOf: async () => undefined,
      async wasObeyed({ body, caller }: { body: AcceptBody; caller: Caller }) {
        const offerId = offerIdIn(body);
        return offerId !== undefined && ports.offers.wasAccepted(offerId, caller.accountId);
      },
    },
    idempotent: true,
    readsOwnWrites: true,
    input: { body: Body },
    responses: {
      200: { description: 'The existing commitment', schema: Commitment },
      201: { description: 'The commitment', schema: Commitment },
    },
    errors: [
      'offer_not_found',
      'offer_not_yours',
      'offer_already_accepted',
      'offer_expired',
      'offer_invalid',
      'conflict',
    ],
    examples: [
      {
        summary: 'By its id',
        body: { offer_id: 'offer_AAECAwQFBgcICQoLDA0ODw', tier: 'standard' },
      },
    ],
    async handle({ body, caller, command, payment }) {
      const { offer_id: offerId, offer, tier, offer_hash: offerHash } = body;
      if (offerId === undefined && offer === undefined) {
        const detail = 'offer_id is missing. Send it, or send the offer itself as offer.';
        throw invalidField('/offer_id', 'required', detail);
      }
      // An x402 payer has cryptocurrency, and often no other money.
      const paymentMethod = body.payment_method ?? (payment ? 'crypto' : undefined);
      const { accountId, test } = caller;
      const { agreed, repeated, replayed, position } = await ports.offers.accept(
        { offerId, offer, offerHash, tier, paymentMethod },
        { accountId, test, assertAllows: (letter) => assertPermitted(caller, letter) },
        command,
      );
      const isShownAgain = repeated && !replayed;
      const letters = isShownAgain ? await ports.lettersUsing(accountId, agreed.commitmentId) : [];
      return {
        status: isShownAgain ? 200 : 201,
        body: presentCommitment(
          { agreed, letters, used: letters.length, lockedUntil: await ports.lockedUntil(agreed) },
          isShownAgain ? toTimestamp(ports.clock()) : agreed.acceptedAt,
          ports.issuer(),
        ),
        position,
        replayed,
      };
    },
  });
