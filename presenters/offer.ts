/** The schemas of offers: they are sent exactly as they are signed (identity/offers.ts). */
import { Type } from '../ground/type.ts';
import { paymentMethods } from '../identity/offers.ts';
import { proofLevels } from '../postal/services.ts';
import { tierNames } from '../postal/tiers.ts';
import { countryCodes, intents, serviceIds } from '../postal/types.ts';
import { Day, LocalPostage, Nullable, OneOf, Timestamp, Usd } from './common.ts';
import { DiscountTaken } from './letter-schemas.ts';

export const TierName = OneOf(tierNames);
export const PaymentMethod = OneOf(
  paymentMethods,
  'The money that pays: money in the wallet that came as cryptocurrency (or x402), or other money.',
);

const price = {
  postage: Usd,
  printing: Usd,
  handling: Type.Number({ description: 'Surcharge of the intent class, and commission.' }),
  commission: Type.Number({ description: 'The commission in `handling`.' }),
  commission_rate: Type.Number(),
  total: Type.Number({ description: 'For one letter: postage + printing + handling.' }),
  quantity_total: Type.Number({ description: '`total` times `quantity`.' }),
  currency: OneOf(['USD', 'USDC']),
  discount: Type.Optional(DiscountTaken),
};

const X402Terms = Type.Object(
  {
    network: Type.String(),
    asset: Type.String(),
    amount: Type.String({ description: 'In the smallest unit of the asset.' }),
    payTo: Type.String(),
  },
  { description: 'How to pay for one letter by x402, if it is configured.' },
);

const OfferTier = Type.Named('OfferTier', {
  tier: TierName,
  service: OneOf(serviceIds),
  service_name: Type.String(),
  operator: Type.String(),
  sla_days: Type.Integer({
    description: "Business days from hand-over, by the operator's standard.",
  }),
  guaranteed: Type.Boolean({ description: 'Whether the operator guarantees them.' }),
  tracking: OneOf(['none', 'sync', 'async']),
  proof: OneOf(proofLevels, 'The strongest proof that the service gives.'),
  meets_intent: Type.Boolean({
    description: 'Whether it meets the SLA and the proof of the intent class.',
  }),
  expected_delivery: Type.Object({ earliest: Day, latest: Day }),
  pages: Type.Integer(),
  sheets: Type.Integer(),
  local: LocalPostage,
  fiat: Type.Object(price),
  crypto: Type.Object({ ...price, x402: Type.Optional(X402Terms) }),
  score: Type.Number({
    description: 'By the weights of the class (GET /api/anp/intent-classes), 0 to 1.',
  }),
  rank: Type.Integer({ minimum: 1, maximum: 3, description: '1 is the best score.' }),
  difference: Type.String({
    description: 'How it differs from the other tiers, and what it lacks for the class.',
  }),
});

export const OfferSchema = Type.Named('Offer', {
  offer_id: Type.String({ maxLength: 64 }),
  tiers: Type.Array(OfferTier, { description: 'Premium, standard and economy.' }),
  recommended: TierName,
  recommended_because: Type.Array(Type.String()),
  expires_at: Timestamp,
  iss: Type.String({ description: 'DID of the service.' }),
  account_id: Nullable(
    Type.String({
      description: 'The only account that may accept it. Null: the first account that accepts it.',
    }),
  ),
  test: Type.Boolean(),
  intent: OneOf(intents),
  sla_days: Type.Integer({ description: 'Requirements of the class.' }),
  proof_level: OneOf(proofLevels),
  request: Type.Object(
    {
      intent: OneOf(intents),
      to_country: OneOf(countryCodes),
      quantity: Type.Integer(),
      pages: Nullable(Type.Integer()),
      color: Type.Boolean(),
      duplex: Type.Boolean(),
      service: Nullable(OneOf(serviceIds)),
      send_date: Nullable(Day),
    },
    { title: 'RequestOfOffer', description: 'The request, without personal data.' },
  ),
  request_hash: Type.String({
    description: 'SHA-256 of `request` in canonical form (RFC 8785), base64url.',
  }),
  quantity: Type.Integer(),
  terms: Type.Object({
    max_uses: Type.Literal(1, { description: 'An offer can be accepted once.' }),
    commitment_hours: Type.Integer({ description: 'How long the accepted price is valid.' }),
  }),
  pricing_version: Type.String(),
  issued_at: Timestamp,
  jti: Type.String({ description: '128 random bits.' }),
  offer_hash: Type.String({
    description:
      'SHA-256 of the offer without `offer_hash` and `jws` in canonical form (RFC 8785), base64url.',
  }),
  jws: Type.String({
    description:
      'Compact JWS (EdDSA) by the service; its payload is the offer without `jws` in canonical form.',
  }),
});
