/**
 * The tiers of an offer: the services that take a letter, priced on the way that sending takes. They are the
 * same for all who ask for the same letter, to be posted on the same day, with the same discount.
 */

import { AppError, isAppError } from '../../contract/errors.ts';
import { createBoundedMap } from '../../ground/bounded-map.ts';
import type { OfferPrice, OfferTier, PaymentMethod, X402Terms } from '../../identity/offers.ts';
import type { Limits } from '../../limits/table.ts';
import type { CallerRef } from '../../limits/turn.ts';
import { decimalOf, type MicroUsd } from '../../money/amounts.ts';
import { sum } from '../../money/buckets.ts';
import { chargeBy, commissionBasisPoints, totalOf } from '../../money/charge.ts';
import type { Discount } from '../../money/discount.ts';
import { expectedDelivery, handoverDate } from '../../postal/delivery-window.ts';
import { anyServiceIntent, isPromise, servicesOffered } from '../../postal/intents.ts';
import type { PriceList } from '../../postal/pricing.ts';
import { services, servicesOf, strongestProof } from '../../postal/services.ts';
import { chooseTiers, type Tier } from '../../postal/tiers.ts';
import type { CountryCode, Intent, ServiceId } from '../../postal/types.ts';
import type { OpenTextOf } from '../preparation/open-text.ts';
import { type PricedLetter, type PricingPorts, priceLetter } from '../preparation/price-letter.ts';
import { assertReachable, assertServiceFits } from '../preparation/service-fit.ts';

export type OfferWish = {
  intent: Intent;
  country: CountryCode;
  /** How many such letters the price is for. */
  quantity: number;
  /** The source of the pages. */
  of: { pages: number } | { text: string; by: CallerRef };
  color: boolean;
  duplex: boolean;
  /** Only this one. */
  service?: ServiceId;
  /** `YYYY-MM-DD`, in the recipient's country. */
  sendDate?: string;
};

/** The requesting account; undefined: unknown, and the first account that accepts the offer gets it. */
export type OfferAsker = { accountId: string; test: boolean } | undefined;

type Terms = { releaseAt: number; prices: PriceList; discount: Discount | undefined };

export type TierPorts = PricingPorts & {
  openText: OpenTextOf;
  limits: Limits;
  /** How to pay an amount by x402, where that is set up. */
  x402Terms?(amountMicro: MicroUsd): X402Terms;
};

/** `tiers` are the same as they are presented, most expensive first. */
export type OfferedTiers = { chosen: readonly Tier[]; tiers: readonly OfferTier[] };

/** How many letters are remembered with their tiers, of 6 kB each. */
const rememberedLetters = 1_000;

const presentPrice = (
  { subtotal }: PricedLetter,
  method: PaymentMethod,
  quantity: number,
): OfferPrice => {
  const charge = chargeBy(method, subtotal.subtotalMicro);
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

/** Cache key of a letter's tiers. Undefined: its pages are still to be counted. */
const keyOf = (wish: OfferWish, { releaseAt, prices, discount }: Terms): string | undefined => {
  const { of, intent, country, quantity, color, duplex, service } = wish;
  if (!('pages' in of)) return undefined;
  return JSON.stringify([
    intent,
    country,
    quantity,
    of.pages,
    color,
    duplex,
    service,
    handoverDate(country, releaseAt),
    discount,
    prices.version,
  ]);
};

export const createOfferedTiers = (ports: TierPorts) => {
  const remembered = createBoundedMap<string, OfferedTiers>(rememberedLetters);

  /** Every service of the country, priced; those that do not take the letter are left out. */
  const priceAll = async (
    wish: OfferWish,
    asker: OfferAsker,
    { releaseAt, prices, discount }: Terms,
  ): Promise<PricedLetter[]> => {
    const accountId = asker?.accountId;
    const { country, intent, color, duplex, service: only } = wish;
    const source =
      'text' in wish.of ? await ports.openText(wish.of.text, country, wish.of.by) : wish.of;
    const kept = { discount };
    const letter = { accountId, country, intent, color, duplex, releaseAt, kept, wasOffered: true };
    const price = (service: ServiceId) =>
      priceLetter({ ...letter, ...source, service }, { ...ports, prices: () => prices });
    const offeredHere = prices.services;
    const inCountry = servicesOf(country).filter(({ id }) => offeredHere.has(id));
    assertReachable(country, isPromise(intent) ? intent : anyServiceIntent, offeredHere);
    if (only !== undefined) {
      assertServiceFits(country, only, intent, { offered: offeredHere, optional: 'service' });
      return [await price(only)];
    }
    const tried = await Promise.all(
      inCountry.map(({ id }) =>
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
      `No service of ${country} for ${intent} carries a letter with that many pages. Shorten it, or print on both sides (duplex).`,
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
    const totalMicro = totalOf(chargeBy('crypto', priced.subtotal.subtotalMicro));
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
      expected_delivery: expectedDelivery({ service: service.id, releaseAt, to: undefined }),
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

  return async (
    wish: OfferWish,
    asker: OfferAsker,
    { releaseAt, prices }: Omit<Terms, 'discount'>,
  ): Promise<OfferedTiers> => {
    const discount = asker && (await ports.discountOf(asker.accountId));
    const terms = { releaseAt, prices, discount };
    const key = keyOf(wish, terms);
    const known = key === undefined ? undefined : remembered.get(key);
    if (known) return known;
    const priced = await priceAll(wish, asker, terms);
    const chosen = chooseTiers(
      wish.intent,
      priced.map(({ service, subtotal: { subtotalMicro } }) => ({ service, subtotalMicro })),
    );
    const tiers = chosen
      .map((tier) => {
        const letter = priced.find(({ service }) => service === tier.service) as PricedLetter;
        return presentTier(tier, letter, wish.quantity, releaseAt);
      })
      .toReversed();
    const made = { chosen, tiers };
    if (key !== undefined) remembered.set(key, made);
    return made;
  };
};
