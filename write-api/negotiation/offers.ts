/** Offers: three tiers for what a letter is for. */

import type { Static } from 'typebox';
import type { MakeOffer } from '../../commands/negotiation/make-offer.ts';
import type { OfferAsker, OfferWish } from '../../commands/negotiation/offered-tiers.ts';
import { sniffContentType } from '../../commands/preparation/content-type.ts';
import { isAppError } from '../../contract/errors.ts';
import { type AnyOperation, type Caller, operation } from '../../contract/operation.ts';
import { invalidField } from '../../contract/refusals.ts';
import { Type } from '../../ground/type.ts';
import { permitsFor } from '../../identity/ucan/permits.ts';
import type { Limits } from '../../limits/table.ts';
import { type CallerRef, callerRefOf } from '../../limits/turn.ts';
import { intents } from '../../postal/types.ts';
import { OneOf } from '../../presenters/common.ts';
import { OfferSchema } from '../../presenters/offer.ts';
import { QuoteBody } from '../letters/schemas.ts';

type OfferOperationPorts = { makeOffer: MakeOffer; limits: Limits };

/** Fields that set a price of their own; and `intent`, which is required here. */
const notOfOffers = ['quote_id', 'commitment_id', 'letter_id', 'intent'];

const OfferBody = (limits: Limits) => {
  const letter = Object.fromEntries(
    Object.entries(QuoteBody(limits).properties).filter(([name]) => !notOfOffers.includes(name)),
  ) as Omit<ReturnType<typeof QuoteBody>['properties'], 'intent'>;
  return Type.NamedExact('OfferRequest', {
    intent: OneOf(
      intents,
      'What the letter is for. GET /api/anp/intent-classes lists the classes.',
    ),
    quantity: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: limits.offerQuantity,
        default: 1,
        description: 'How many such letters the price covers.',
      }),
    ),
    ...letter,
  });
};
type OfferBody = Static<ReturnType<typeof OfferBody>> & { pages?: number };

/** A quote counts the pages of files, for accounts. */
const needsPages = (name: 'content' | 'document' | 'document_url', what: string) =>
  invalidField(
    `/${name}`,
    'pages_needed',
    `An offer does not count the pages of ${what}. Send their number as pages.`,
  );

/** The pages to price: `pages`, or those of plain text, or one. @throws AppError validation_failed */
const pagesOf = (body: OfferBody, by: CallerRef): OfferWish['of'] => {
  const { pages, content, content_type, document, document_url } = body;
  if (pages !== undefined) return { pages };
  if (document !== undefined) throw needsPages('document', 'a document');
  if (document_url !== undefined) throw needsPages('document_url', 'a document');
  if (content === undefined) return { pages: 1 };
  if ((content_type ?? sniffContentType(content)) === 'html') throw needsPages('content', 'HTML');
  return { text: content, by };
};

const wishOf = (body: OfferBody, by: CallerRef): OfferWish => ({
  intent: body.intent,
  country: body.to_country,
  quantity: body.quantity ?? 1,
  of: pagesOf(body, by),
  color: body.color ?? false,
  duplex: body.duplex ?? true,
  service: body.service,
  sendDate: body.send_date,
});

const reading = {
  access: 'read',
  permit: { about: 'account', honours: ['countries', 'services', 'intents'] },
} as const;

/** The access that accepting the offer needs. */
const sending = { ...reading, access: 'send' } as const;

/**
 * The account that a caller speaks for. A UCAN speaks for its account when it may read it, or accept an offer
 * and send for it; any other UCAN speaks for nobody here.
 */
const askerOf = (caller: Caller | undefined, body: unknown): OfferAsker => {
  if (!caller) return undefined;
  const { accountId, test, ucan } = caller;
  if (!ucan) return { accountId, test };
  const permits = (needed: typeof reading | typeof sending): boolean => {
    try {
      permitsFor(needed, { params: undefined, body }, { accountId, ucan });
      return true;
    } catch (error) {
      if (isAppError(error)) return false;
      throw error;
    }
  };
  return permits(reading) || permits(sending) ? { accountId, test } : undefined;
};

export const offerOperation = ({ makeOffer, limits }: OfferOperationPorts): AnyOperation =>
  operation({
    name: 'negotiate_pricing',
    method: 'POST',
    path: '/api/anp/offer',
    tag: 'Negotiation',
    summary: 'Ask for a signed offer in three tiers',
    description: `Returns three tiers for an intent class, made from the services of the country, each with a fiat and a crypto price. No account is needed; an offer that is requested with a credential is for that account only. It is valid for ${limits.offerMinutes} minutes. Takes the body of a send, but needs only \`intent\` and \`to_country\`. The price depends on \`pages\`, or on plain text sent as \`content\`. Other fields are neither checked nor kept.`,
    access: 'public',
    readsOwnWrites: true,
    input: { body: OfferBody(limits) },
    responses: { 200: { description: 'The offer', schema: OfferSchema } },
    errors: [
      'validation_failed',
      'service_not_available',
      'content_not_printable',
      'too_many_pages',
      'body_too_large',
      'exchange_rate_stale',
    ],
    examples: [
      {
        summary: 'Registered mail to Germany',
        body: { intent: 'legal_compliance', to_country: 'DE', pages: 2 },
      },
    ],
    async handle({ body, caller, address }) {
      const wish = wishOf(body as OfferBody, callerRefOf(caller, address));
      return { body: await makeOffer(wish, askerOf(caller, body)) };
    },
  });
