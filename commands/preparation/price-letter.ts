import { AppError } from '../../contract/errors.ts';
import type { Clock } from '../../ground/clock.ts';
import { dayMs, dayOf } from '../../ground/day.ts';
import { numberOf } from '../../ground/plural.ts';
import { limitError } from '../../limits/limit-error.ts';
import type { Limits } from '../../limits/table.ts';
import { type DiscountOf, discountOn, type KeptDiscount } from '../../money/discount.ts';
import { countries } from '../../postal/countries.ts';
import { handoverDate } from '../../postal/delivery-window.ts';
import { anyServiceIntent, pickService, servicesFor, usualIntent } from '../../postal/intents.ts';
import { type PriceList, priceSubtotal, type Subtotal, sheetsOf } from '../../postal/pricing.ts';
import { allServices, services } from '../../postal/services.ts';
import type { Intent, ServiceId } from '../../postal/types.ts';
import type { PriceRequest } from './letter-input.ts';
import { assertReachable, assertServiceFits } from './service-fit.ts';

/** With the day of posting, `YYYY-MM-DD`. */
type Dated = PriceRequest & { on: string };

/** A letter that is priced, and set for the window of the envelope that takes it. */
export type PricedLetter = {
  service: ServiceId;
  intent: Intent;
  envelope: string;
  pages: number;
  sheets: number;
  subtotal: Subtotal;
};

export type PricingPorts = {
  limits: Limits;
  /** As they are now: operators change them while the service runs. */
  prices: () => PriceList;
  discountOf: DiscountOf;
  clock: Clock;
};

/** `prices`: the same for the whole letter. */
type Pricing = { ports: PricingPorts; prices: PriceList };

type Envelope = Subtotal['row']['envelope'];

const tooManyPages = (detail: string, pages: number): AppError =>
  limitError('pages', detail, { extra: { pages } });

const pagesOf = async (
  request: PriceRequest,
  service: ServiceId,
  envelope: Envelope | undefined,
  { limits }: PricingPorts,
): Promise<number> => {
  if ('pages' in request) {
    const { pages } = request;
    if (pages <= limits.pages) return pages;
    throw tooManyPages(
      `The letter has ${numberOf(pages, 'page')}, but the limit is ${limits.pages}. Shorten it, or send it in parts.`,
      pages,
    );
  }
  const pages = await request.count(service, envelope);
  if (pages <= limits.pages) return pages;
  // Pages beyond the limit were not counted.
  throw limitError(
    'pages',
    `The letter has more than ${numberOf(limits.pages, 'page')}. Shorten it, or send it in parts.`,
  );
};

/**
 * Lays the letter out for the envelope that its sheets need. A larger envelope may have its window
 * elsewhere and so change the page count, which settles after at most one more round.
 */
const priceWith = async (
  request: Dated,
  service: ServiceId,
  intent: Intent,
  { ports, prices }: Pricing,
): Promise<PricedLetter> => {
  const { country, color, duplex, on, to } = request;
  const format = countries[country].pageFormat;
  let envelope: Envelope | undefined;
  for (let round = 0; ; round++) {
    const pages = await pagesOf(request, service, envelope, ports);
    const sheets = sheetsOf(pages, duplex);
    const input = { service, intent, country, pages, sheets, color, duplex, format, on, to };
    const subtotal = priceSubtotal(input, prices);
    if (!subtotal) {
      throw tooManyPages(
        `${services[service].name} does not carry ${numberOf(sheets, 'sheet')}. Shorten the letter, print on both sides (duplex) or choose another service.`,
        pages,
      );
    }
    const needed = subtotal.row.envelope;
    if (needed === (envelope ?? services[service].envelope) || round === 2) {
      return { service, intent, envelope: needed, pages, sheets, subtotal };
    }
    envelope = needed;
  }
};

/**
 * The cheapest service that meets the intent, for as many sheets as the letter has with it; the
 * cheapest of the country where no intent is asked for.
 */
const priceCheapest = async (request: Dated, pricing: Pricing): Promise<PricedLetter> => {
  const { ports, prices } = pricing;
  const { country, duplex, on, intent = usualIntent } = request;
  const toMeet = request.intent ?? anyServiceIntent;
  const offered = prices.services;
  assertReachable(country, toMeet, offered);
  let service = servicesFor(toMeet, country, offered)[0] as ServiceId;
  for (let round = 0; ; round++) {
    const pages = await pagesOf(request, service, undefined, ports);
    const sheets = sheetsOf(pages, duplex);
    const picked = pickService(toMeet, country, sheets, on, prices);
    if (!picked) {
      throw tooManyPages(
        `No ${country} service with the proof of ${toMeet} carries ${numberOf(sheets, 'sheet')}. Shorten the letter, or print on both sides (duplex).`,
        pages,
      );
    }
    if (picked === service || round === 2) return priceWith(request, picked, intent, pricing);
    service = picked;
  }
};

/** @param at day of the rate @param today the current day @throws AppError exchange_rate_stale */
export const assertFresh = (currency: string, at: string, today: string, limits: Limits): void => {
  const ageDays = (Date.parse(today) - Date.parse(at)) / dayMs;
  if (currency === 'USD' || ageDays <= limits.exchangeRateDays) return;
  throw new AppError(
    'exchange_rate_stale',
    `The exchange rate for ${currency} is ${numberOf(Math.floor(ageDays), 'day')} old. The operator must update it.`,
    { headers: { 'Retry-After': '3600' } },
  );
};

const assertRateFresh = (priced: PricedLetter, { limits, clock }: PricingPorts): PricedLetter => {
  const { local } = priced.subtotal;
  assertFresh(local.currency, local.rateAt, dayOf(clock()), limits);
  return priced;
};

/** The discount comes off printing, which is ours: never off postage, nor off what a class promises. */
const discounted = (priced: PricedLetter, { discount, fixedMicro }: KeptDiscount): PricedLetter => {
  const { subtotal } = priced;
  if (discount === undefined) return priced;
  const { printMicro } = subtotal;
  const wantedMicro = fixedMicro ?? discountOn(printMicro, discount);
  const amountMicro = wantedMicro < printMicro ? wantedMicro : printMicro;
  if (amountMicro === 0n) return priced;
  return {
    ...priced,
    subtotal: {
      ...subtotal,
      printMicro: printMicro - amountMicro,
      subtotalMicro: subtotal.subtotalMicro - amountMicro,
      discount: { ...discount, amountMicro },
    },
  };
};

/**
 * Chooses the service, counts the pages on its sheets and prices the letter before commission, for the
 * day on which it is posted, with the discount that the account has.
 * @throws AppError service_not_available, too_many_pages, exchange_rate_stale
 */
export const priceLetter = async (
  request: PriceRequest,
  ports: PricingPorts,
): Promise<PricedLetter> => {
  const { service, country, releaseAt, wasOffered = false } = request;
  const pricing = { ports, prices: ports.prices() };
  const on = handoverDate(country, releaseAt);
  const dated = { ...request, on };
  const { accountId, intent = usualIntent, kept } = request;
  const discountNow = async () => ({
    discount: accountId === undefined ? undefined : await ports.discountOf(accountId),
  });
  if (service !== undefined && !wasOffered) {
    // A letter that is paid keeps its service.
    const offered = kept ? allServices : pricing.prices.services;
    assertServiceFits(country, service, intent, { offered, optional: 'service or intent' });
  }
  const [priced, discount] = await Promise.all([
    service === undefined
      ? priceCheapest(dated, pricing)
      : priceWith(dated, service, intent, pricing),
    kept ?? discountNow(),
  ]);
  return discounted(assertRateFresh(priced, ports), discount);
};
