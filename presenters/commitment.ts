/** A commitment as its owner sees it, with the receipt that the service signs. */
import type { Static } from 'typebox';
import { Type } from '../ground/type.ts';
import { paymentMethods } from '../identity/offers.ts';
import { type DocumentSigner, signDocument } from '../identity/signed-document.ts';
import { decimalOf } from '../money/amounts.ts';
import { chargeOfCents, totalOf } from '../money/charge.ts';
import { tierNames } from '../postal/tiers.ts';
import { countryCodes, intents, serviceIds } from '../postal/types.ts';
import { type CommitmentView, mostLettersListed } from '../projections/commitments/query.ts';
import { LetterId, OneOf, Page, Timestamp, Usd } from './common.ts';
import { Price } from './letter-schemas.ts';
import { presentPrice } from './price.ts';

export const Commitment = Type.Named('Commitment', {
  commitment_id: Type.String({ description: 'Send it with the letter.' }),
  offer_id: Type.String(),
  offer_hash: Type.String(),
  tier: OneOf(tierNames),
  payment_method: OneOf(paymentMethods, 'The money in the wallet that pays.'),
  intent: OneOf(intents),
  service: OneOf(serviceIds),
  to_country: OneOf(countryCodes),
  pages: Type.Integer({ description: 'The maximum number of pages of a letter.' }),
  color: Type.Boolean(),
  duplex: Type.Boolean(),
  locked_price: Type.Number({ description: 'The total price of one letter.' }),
  currency: OneOf(['USD', 'USDC']),
  price: Price,
  total: Usd,
  quantity: Type.Integer({ description: 'The number of letters that it covers.' }),
  uses_left: Type.Integer(),
  letters: Type.Array(LetterId, {
    description: `The letters that use it. A letter that was cancelled or failed no longer counts. A list has the first ${mostLettersListed} letters of each commitment.`,
  }),
  state: OneOf(['active', 'consumed', 'expired']),
  test: Type.Boolean(),
  accepted_at: Timestamp,
  expires_at: Timestamp,
  jws: Type.String({
    description:
      'The receipt: a compact JWS (EdDSA) of the service with the agreed terms. `reference` is the hash of the offer.',
  }),
});

export const Commitments = Page(Commitment);

export type Issuer = { did: string; signer: DocumentSigner };

const currencyOf = (method: string): 'USD' | 'USDC' => (method === 'crypto' ? 'USDC' : 'USD');

/** The same bytes each time, as long as the key is the same. */
const receiptOf = ({ agreed }: Pick<CommitmentView, 'agreed'>, { did, signer }: Issuer): string =>
  signDocument(
    {
      iss: did,
      iat: Math.floor(Date.parse(agreed.acceptedAt) / 1_000),
      reference: agreed.offerHash,
      status: 'accepted',
      commitment_id: agreed.commitmentId,
      offer_id: agreed.offerId,
      account_id: agreed.accountId,
      tier: agreed.tier,
      payment_method: agreed.paymentMethod,
      service: agreed.service,
      quantity: agreed.quantity,
      locked_price: decimalOf(totalOf(chargeOfCents(agreed.price.charge))),
      currency: currencyOf(agreed.paymentMethod),
      expires_at: agreed.expiresAt,
    },
    'anp-receipt+jws',
    signer,
  );

/** `lockedUntil`: when the price no longer holds; the receipt names the time that was agreed to. RFC 3339. */
type ShownCommitment = Pick<CommitmentView, 'agreed' | 'letters' | 'used'> & {
  lockedUntil: string;
};

/** @param now RFC 3339 */
export const presentCommitment = (
  view: ShownCommitment,
  now: string,
  issuer: Issuer,
): Static<typeof Commitment> => {
  const { agreed, letters, used, lockedUntil } = view;
  const total = totalOf(chargeOfCents(agreed.price.charge));
  const usesLeft = Math.max(0, agreed.quantity - used);
  const open = now < lockedUntil ? 'active' : 'expired';
  return {
    commitment_id: agreed.commitmentId,
    offer_id: agreed.offerId,
    offer_hash: agreed.offerHash,
    tier: agreed.tier as (typeof tierNames)[number],
    payment_method: agreed.paymentMethod,
    intent: agreed.intent as (typeof intents)[number],
    service: agreed.service as (typeof serviceIds)[number],
    to_country: agreed.country as (typeof countryCodes)[number],
    pages: agreed.pages,
    color: agreed.color,
    duplex: agreed.duplex,
    locked_price: decimalOf(total),
    currency: currencyOf(agreed.paymentMethod),
    price: presentPrice(agreed.price),
    total: decimalOf(total * BigInt(agreed.quantity)),
    quantity: agreed.quantity,
    uses_left: usesLeft,
    letters,
    state: usesLeft === 0 ? 'consumed' : open,
    test: agreed.test,
    accepted_at: agreed.acceptedAt,
    expires_at: lockedUntil,
    jws: receiptOf(view, issuer),
  };
};
