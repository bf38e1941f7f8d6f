/** Offers as they are signed and sent: three tiers of a letter, each with its features and its price. */
import { canonicalJson, canonicalMembers, joinMembers } from '../ground/canonical-json.ts';
import { canonicalHash, type DocumentSigner, signCanonical } from './signed-document.ts';

export const paymentMethods = ['fiat', 'crypto'] as const;
export type PaymentMethod = (typeof paymentMethods)[number];

/** The price of one letter by one payment method: postage + printing + handling = total. Dollars. */
export type OfferPrice = {
  postage: number;
  printing: number;
  /** Surcharge and commission. */
  handling: number;
  /** How much of `handling` is commission, and the rate of it. */
  commission: number;
  commission_rate: number;
  total: number;
  /** Of all letters that the offer is for. */
  quantity_total: number;
  currency: string;
  /** The discount of a volume contract on printing. The lines above already contain it. */
  discount?: { contract_id: string; rate: number; amount: number };
};

/** How to pay it by x402, in the asset's smallest unit. */
export type X402Terms = { network: string; asset: string; amount: string; payTo: string };

export type OfferTier = {
  tier: string;
  service: string;
  service_name: string;
  operator: string;
  /** Business days from hand-over, by the operator's standard. */
  sla_days: number;
  guaranteed: boolean;
  tracking: string;
  /** The strongest that the service has. */
  proof: string;
  /** Whether the service meets the SLA and the proof of the intent class. */
  meets_intent: boolean;
  expected_delivery: { earliest: string; latest: string };
  pages: number;
  sheets: number;
  /** The postage as the operator charges it, and USD for one unit of its currency. */
  local: { currency: string; postage: number; rate: string };
  fiat: OfferPrice;
  crypto: OfferPrice & { x402?: X402Terms };
  /** By the weights of the class, 0 to 1; rank 1 is the best. */
  score: number;
  rank: number;
  /** The tier's strengths and gaps compared with the others. */
  difference: string;
};

/** The request, normalised and without personal data. */
export type OfferRequest = {
  intent: string;
  to_country: string;
  quantity: number;
  pages: number | null;
  color: boolean;
  duplex: boolean;
  service: string | null;
  send_date: string | null;
};

/** An offer without its hash and signature. */
export type OfferTerms = {
  offer_id: string;
  /** 128 random bits, so that nobody can guess the signed content. */
  jti: string;
  /** DID of the service. */
  iss: string;
  /** The account that asked for it and alone may accept it; null: the first account that accepts it. */
  account_id: string | null;
  test: boolean;
  intent: string;
  /** The demands of the class. */
  sla_days: number;
  proof_level: string;
  request: OfferRequest;
  /** SHA-256 of `request` in canonical form, base64url. */
  request_hash: string;
  quantity: number;
  /** Most expensive first. */
  tiers: readonly OfferTier[];
  recommended: string;
  recommended_because: string[];
  terms: { max_uses: 1; commitment_hours: number };
  pricing_version: string;
  issued_at: string;
  expires_at: string;
};

/** `offer_hash` is that of all but itself and `jws`, which covers it. */
export type Offer = OfferTerms & { offer_hash: string; jws: string };

/** The canonical forms of tiers, which many offers share. */
const tierTexts = new WeakMap<readonly OfferTier[], string>();

const textOf = (tiers: readonly OfferTier[]): string => {
  const text = tierTexts.get(tiers) ?? canonicalJson(tiers);
  tierTexts.set(tiers, text);
  return text;
};

/** Put into canonical form once, for its hash and for its signature: that is most of the work. */
export const signOffer = (terms: OfferTerms, signer: DocumentSigner): Offer => {
  const { tiers, ...others } = terms;
  const members = canonicalMembers(others);
  members.push(['tiers', textOf(tiers)]);
  const offer_hash = canonicalHash(joinMembers(members));
  members.push(['offer_hash', JSON.stringify(offer_hash)]);
  return {
    ...terms,
    offer_hash,
    jws: signCanonical(joinMembers(members), 'anp-offer+jws', signer),
  };
};
