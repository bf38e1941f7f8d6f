import { Type } from '../../ground/type.ts';
import {
  amountOrZero,
  basisPoints,
  contentKind,
  count,
  country,
  id,
  instant,
  type Members,
} from './earlier-parts.ts';

const day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' });

const price = (discount: Members) =>
  Type.Exact({
    postageCents: amountOrZero,
    printCents: amountOrZero,
    surchargeCents: amountOrZero,
    charge: Type.Exact({
      subtotalCryptoCents: amountOrZero,
      commissionCryptoCents: amountOrZero,
      subtotalFiatCents: amountOrZero,
      commissionFiatCents: amountOrZero,
    }),
    pricingVersion: id,
    ...discount,
    local: Type.Exact({ currency: Type.String(), postageCents: amountOrZero, rate: Type.String() }),
  });

const undiscountedPrice = price({});

export const discountedPrice = price({
  discount: Type.Optional(Type.Exact({ contractId: id, basisPoints, amountCents: amountOrZero })),
});

const terms = (priceOfTerms: typeof discountedPrice, addedMembers: Members) =>
  Type.Exact({
    accountId: id,
    test: Type.Boolean(),
    service: id,
    intent: id,
    country,
    pages: count,
    sheets: count,
    color: Type.Boolean(),
    duplex: Type.Boolean(),
    envelope: id,
    price: priceOfTerms,
    commitment: Type.String({ minLength: 22, maxLength: 44 }),
    sendDate: Type.Optional(day),
    expectedDelivery: Type.Exact({ earliest: day, latest: day }),
    kind: Type.Optional(contentKind),
    coverPage: Type.Optional(Type.Boolean()),
    ...addedMembers,
  });

const addressInDocument = Type.Optional(Type.Boolean());
const layout = Type.Optional(Type.Literal(2));

const terms1 = terms(undiscountedPrice, {});
const terms2 = terms(undiscountedPrice, { addressInDocument });
const terms3 = terms(discountedPrice, { addressInDocument });
const terms4 = terms(discountedPrice, { addressInDocument, layout });

type Terms = typeof terms1;

const drafted = (termsOfLetter: Terms) =>
  Type.Exact({
    terms: termsOfLetter,
    holdReason: Type.Literals(['requested', 'funds', 'approval']),
  });

const queued = (termsOfLetter: Terms) =>
  Type.Exact({
    terms: termsOfLetter,
    attemptId: id,
    cancellableUntil: instant,
    releaseAt: instant,
  });

const updated = (termsOfLetter: Terms) =>
  Type.Exact({
    terms: termsOfLetter,
    attemptId: Type.Optional(id),
    changed: Type.Array(Type.String()),
  });

export const earlierLetterSchemas: Members = {
  'letters.letter_drafted.v1': drafted(terms1),
  'letters.letter_queued.v1': queued(terms1),
  'letters.letter_updated.v1': updated(terms1),
  'letters.letter_drafted.v2': drafted(terms2),
  'letters.letter_queued.v2': queued(terms2),
  'letters.letter_updated.v2': updated(terms2),
  'letters.letter_drafted.v3': drafted(terms3),
  'letters.letter_queued.v3': queued(terms3),
  'letters.letter_updated.v3': updated(terms3),
  'letters.letter_updated.v4': updated(terms4),
};
