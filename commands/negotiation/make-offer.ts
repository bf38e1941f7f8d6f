/**
 * Making an offer: three tiers of a letter, priced on the way that sending takes, and signed. An offer is
 * no event: it binds us only, costs nothing, and anybody may ask for one. It is kept until it can no longer
 * be accepted, and what proves it is its signature.
 */
import { type Clock, toTimestamp } from '../../contract/clock.ts';
import { AppError, isAppError } from '../../contract/errors.ts';
import type { Limits } from '../../contract/limits.ts';
import { drawRandom } from '../../contract/random.ts';
import {
  type Offer,
  type OfferPrice,
  type OfferRequest,
  type OfferTerms,
  type OfferTier,
  type PaymentMethod,
  signOffer,
  type X402Terms,
} from '../../identity/offers.ts';
import { type DocumentSigner, documentHash } from '../../identity/signed-document.ts';
import { decimalOf, type Micro } from '../../money/amounts.ts';
import { sum } from '../../money/buckets.ts';
import { type Charge, commissionBasisPoints, splitCharge, totalOf } from '../../money/charge.ts';
import { expectedDelivery } from '../../postal/delivery-window.ts';
import { intentClasses, servicesOffered } from '../../postal/intents.ts';
import type { FontMetrics } from '../../postal/line-breaker.ts';
import { pricingVersion } from '../../postal/pricing.ts';
import { services, servicesOf } from '../../postal/services.ts';
import { chooseTiers, strongestProof, type Tier, type TierName } from '../../postal/tiers.ts';
import type { CountryCode, Intent, ServiceId } from '../../postal/types.ts';
import { openText } from '../preparation/open-text.ts';
import { assertSendDate } from '../preparation/prepare-letter.ts';
import { type PricedLetter, type PricingPorts, priceLetter } from '../preparation/price-letter.ts';
import { createRelease, type ReleasePorts } from '../preparation/release.ts';
import { assertServiceFits } from '../preparation/service-fit.ts';
import { recommend } from './recommend.ts';

export type OfferWish = {
  intent: Intent;
  country: CountryCode;
  /** How many such letters the price is for. */
  quantity: number;
  /** What makes the pages. */
  of: { pages: number } | { text: string };
  color: boolean;
  duplex: boolean;
  /** Only this one. */
  service?: ServiceId;
  /** `YYYY-MM-DD`, in the recipient's country. */
  sendDate?: string;
};

/** Who asks; undefined: nobody that we know, and whoever accepts the offer first has it. */
export type OfferAsker = { accountId: string; test: boolean } | undefined;

/** How often they accepted each tier before; undefined: never. */
export type TierCounts = Partial<Record<TierName, number>>;

export type OfferPorts = PricingPorts &
  ReleasePorts & {
    clock: Clock;
    metrics: FontMetrics;
    limits: Limits;
    /** Who signs: the service, by its DID. */
    issuer(): { did: string; signer: DocumentSigner };
    /** Durable when it resolves. */
    keep(offer: Offer): Promise<void>;
    /** What the account accepted before. */
    acceptedBy(accountId: string): Promise<TierCounts | undefined>;
    /** How to pay an amount by x402, where that is set up. */
    x402Terms?(amountMicro: Micro): X402Terms;
  };

export type MakeOffer = (wish: OfferWish, asker: OfferAsker) => Promise<Offer>;

/** More than any wallet has, so that all of a price is paid from crypto. */
const onlyCrypto = 1n << 62n;

/** What a letter costs by a payment method. */
export const chargeBy = (subtotalMicro: Micro, method: PaymentMethod): Charge =>
  splitCharge(subtotalMicro, method === 'crypto' ? onlyCrypto : 0n);

const presentPrice = (
  { subtotal }: PricedLetter,
  method: PaymentMethod,
  quantity: number,
): OfferPrice => {
  const charge = chargeBy(subtotal.subtotalMicro, method);
  const total = totalOf(charge);
  const commission = sum(charge.commission);
  const { discount } = subtotal;
  return {
    postage: decimalOf(subtotal.postageMicro),
    printing: decimalOf(subtotal.printMicro),
    handling: decimalOf(subtotal.surchargeMicro + commission),
    commission: decimalOf(commission),
    commission_rate: Number(commissionBasisPoints[method]) / 10_000,
    total: decimalOf(total),
    quantity_total: decimalOf(total * BigInt(quantity)),
    currency: method === 'crypto' ? 'USDC' : 'USD',
    ...(discount
      ? {
          discount: {
            contract_id: discount.contractId,
            rate: discount.basisPoints / 10_000,
            amount: decimalOf(discount.amountMicro),
          },
        }
      : {}),
  };
};

const unpriced = Symbol('does not take the letter');

export const createMakeOffer = (ports: OfferPorts): MakeOffer => {
  const { clock, limits } = ports;
  const { releaseOf } = createRelease(ports);

  /** Every service of the country, priced; those that do not take the letter are left out. */
  const priceAll = async (
    wish: OfferWish,
    asker: OfferAsker,
    releaseAt: number,
  ): Promise<PricedLetter[]> => {
    const accountId = asker?.accountId;
    const { country, intent, color, duplex, service: only } = wish;
    const source = 'text' in wish.of ? await openText(wish.of.text, country, ports) : wish.of;
    const letter = { accountId, country, intent, color, duplex, releaseAt, wasOffered: true };
    const price = (service: ServiceId) => priceLetter({ ...letter, ...source, service }, ports);
    if (only !== undefined) {
      assertServiceFits(country, only, intent);
      return [await price(only)];
    }
    const tried = await Promise.all(
      servicesOf(country).map(({ id }) =>
        price(id).catch((error: unknown) => {
          if (isAppError(error) && error.code === 'too_many_pages') return unpriced;
          throw error;
        }),
      ),
    );
    const taking = tried.filter((one): one is PricedLetter => one !== unpriced);
    const offered = servicesOffered(intent, country, (id) =>
      taking.some(({ service }) => service === id),
    );
    if (offered.length > 0) return taking.filter(({ service }) => offered.includes(service));
    throw new AppError(
      'too_many_pages',
      `No service of ${country} for ${intent} takes a letter of so many pages; shorten it, or print on both sides (duplex).`,
    );
  };

  const presentTier = (
    { tier, score, rank, meetsIntent, difference }: Tier,
    priced: PricedLetter,
    quantity: number,
    releaseAt: number,
  ): OfferTier => {
    const service = services[priced.service];
    const { x402Terms } = ports;
    const { local } = priced.subtotal;
    const crypto = presentPrice(priced, 'crypto', quantity);
    const totalMicro = totalOf(chargeBy(priced.subtotal.subtotalMicro, 'crypto'));
    return {
      tier,
      service: service.id,
      service_name: service.name,
      operator: service.operator,
      sla_days: service.slaDays,
      guaranteed: service.guaranteed,
      tracking: service.tracking,
      proof: strongestProof(service),
      meets_intent: meetsIntent,
      expected_delivery: expectedDelivery({ service: service.id, releaseAt }),
      pages: priced.pages,
      sheets: priced.sheets,
      local: {
        currency: local.currency,
        postage: Number(local.postageCents) / 100,
        rate: local.rate,
      },
      fiat: presentPrice(priced, 'fiat', quantity),
      crypto: x402Terms ? { ...crypto, x402: x402Terms(totalMicro) } : crypto,
      score,
      rank,
      difference,
    };
  };

  const requestOf = (wish: OfferWish, tiers: OfferTier[]): OfferRequest => ({
    intent: wish.intent,
    to_country: wish.country,
    quantity: wish.quantity,
    pages: 'pages' in wish.of ? wish.of.pages : Math.max(...tiers.map(({ pages }) => pages)),
    color: wish.color,
    duplex: wish.duplex,
    service: wish.service ?? null,
    send_date: wish.sendDate ?? null,
  });

  return async (wish, asker) => {
    const { intent, country, quantity } = wish;
    const now = clock();
    assertSendDate(wish.sendDate, now, limits);
    const releaseAt = releaseOf({ country, test: asker?.test ?? false }, wish.sendDate);
    const priced = await priceAll(wish, asker, releaseAt);
    const chosen = chooseTiers(
      intent,
      priced.map(({ service, subtotal: { subtotalMicro } }) => ({ service, subtotalMicro })),
    );
    const tiers = chosen
      .map((tier) => {
        const letter = priced.find(({ service }) => service === tier.service) as PricedLetter;
        return presentTier(tier, letter, quantity, releaseAt);
      })
      .toReversed();
    const accepted = asker && (await ports.acceptedBy(asker.accountId));
    const jti = drawRandom(16).toString('base64url');
    const request = requestOf(wish, tiers);
    const { did, signer } = ports.issuer();
    const { tier: recommended, because } = recommend(chosen, accepted);
    const terms: OfferTerms = {
      offer_id: `offer_${jti}`,
      jti,
      iss: did,
      account_id: asker?.accountId ?? null,
      test: asker?.test ?? false,
      intent,
      sla_days: intentClasses[intent].slaDays,
      proof_level: intentClasses[intent].proofLevel,
      request,
      request_hash: documentHash(request),
      quantity,
      tiers,
      recommended,
      recommended_because: because,
      terms: { max_uses: 1, commitment_hours: limits.commitmentHours },
      pricing_version: pricingVersion,
      issued_at: toTimestamp(now),
      expires_at: toTimestamp(now + limits.offerMinutes * 60_000),
    };
    const offer = signOffer(terms, signer);
    await ports.keep(offer);
    return offer;
  };
};
