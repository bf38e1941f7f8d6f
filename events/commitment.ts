/**
 * Events of a commitment: one tier of an offer, accepted, whose price is locked. Stream
 * `commitment-<commitment_id>`; the id follows from the offer's, so that an offer is accepted once. The wallet's
 * events record which letters use it, together with the money.
 * Persisted contract: see events/letter.ts.
 */
import { Type } from '../ground/type.ts';
import type { EventDefinitions, EventUnion } from './definition.ts';
import { Price } from './letter.ts';

const Id = Type.String({ minLength: 1, maxLength: 64 });
const Code = Type.String({ minLength: 1, maxLength: 64 });
const Instant = Type.String({ minLength: 20, maxLength: 30 });
const Day = Type.String({ minLength: 10, maxLength: 10 });
const Digest = Type.String({ minLength: 22, maxLength: 64 });

export const commitmentEvents = {
  OfferAccepted: {
    version: 2,
    data: Type.Exact({
      commitmentId: Id,
      offerId: Id,
      /** SHA-256 of the offer as it was signed, base64url. */
      offerHash: Digest,
      accountId: Id,
      test: Type.Boolean(),
      tier: Code,
      paymentMethod: Type.Literals(['crypto', 'fiat']),
      intent: Code,
      service: Code,
      country: Type.String({ minLength: 2, maxLength: 2 }),
      /** The most pages that a letter may have. */
      pages: Type.Integer({ minimum: 1 }),
      color: Type.Boolean(),
      duplex: Type.Boolean(),
      /** The day of posting that the offer was for; null: as soon as possible. Absent in version 1. */
      sendDate: Type.Optional(Type.Union([Day, Type.Null()])),
      /** Number of its letters. */
      quantity: Type.Integer({ minimum: 1 }),
      /** Of one letter, charged to the bucket of `paymentMethod`. */
      price: Price,
      expiresAt: Instant,
      /** The command that accepted it, and a keyed digest of its request. */
      commandId: Id,
      requestHash: Digest,
    }),
    upcasters: { 1: (data) => data },
  },
} as const satisfies EventDefinitions;

export type CommitmentEvent = EventUnion<typeof commitmentEvents>;
export type AcceptedOffer = CommitmentEvent['data'];

const streamPrefix = 'commitment-';

export const commitmentStream = (commitmentId: string): string => streamPrefix + commitmentId;
