/**
 * Events of requests that come through the mech marketplace. Stream `mech-request-<request_key>`, one for
 * each request id that costs something; stream `mech-day-<mode>-<day>`, what was taken on a day (UTC).
 * Prices are in wei of xDAI, in decimal digits.
 *
 * Persisted contract: see events/letter.ts.
 */
import type { Static } from 'typebox';
import { Type } from '../ground/type.ts';
import { uuidv5 } from '../ground/uuid.ts';
import type { EventDefinitions, EventUnion } from './definition.ts';

const Id = Type.String({ minLength: 1, maxLength: 64 });
const Digest = Type.String({ minLength: 22, maxLength: 64 });
const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' });
const Wei = Type.String({ pattern: '^[0-9]{1,40}$' });
/** Actions that cost something. */
const Action = Type.Literals(['send', 'track']);

/** The request, and the account that pays for its letter. */
const request = { requestKey: Id, accountId: Id, test: Type.Boolean() };

/** The request on the marketplace that pays for it. */
const OnChain = Type.Exact({
  /** CAIP-2. */
  network: Type.String({ pattern: '^eip155:[1-9][0-9]{0,18}$' }),
  marketplace: Type.String({ pattern: '^0x[0-9a-f]{40}$' }),
  requestId: Type.String({ pattern: '^0x[0-9a-f]{64}$' }),
});

export const mechEvents = {
  /** On record before anything is done for it, so that its id is never good for another request. */
  MechRequestClaimed: {
    version: 1,
    data: Type.Exact({
      ...request,
      action: Action,
      requestHash: Digest,
      priceWei: Wei,
      /** The source of the proof of payment; `none` in test mode. */
      proof: Type.Literals(['coordinator', 'chain', 'none']),
      chain: Type.Optional(OnChain),
      /** The day whose cap it counts against. */
      day: Day,
      /** Of a send: the letter that it makes. */
      letterId: Type.Optional(Id),
    }),
  },
  /** It was done: the marketplace owes its price. */
  MechRequestServed: {
    version: 1,
    data: Type.Exact({
      ...request,
      action: Action,
      priceWei: Wei,
      letterId: Id,
      /**
       * The answer to a track as JSON, for repetitions. It is sealed under the data key of the letter, with the request
       * key as the context, so it ends with the erasure of the letter.
       */
      sealedAnswer: Type.Optional(Type.String()),
      /** The answer of an earlier version, in clear. Still earlier versions kept none. */
      answer: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
  },
  /** It was not done, and costs nothing. */
  MechRequestRefused: {
    version: 1,
    data: Type.Exact({ ...request, code: Type.String({ pattern: '^[a-z_]{1,64}$' }) }),
  },
  /** Counts against the cap of its day. */
  MechRequestCounted: {
    version: 1,
    data: Type.Exact({
      ...request,
      day: Day,
      letters: Type.Integer({ minimum: 0, maximum: 1 }),
      priceWei: Wei,
    }),
  },
  /** Does not count any more. */
  MechRequestUncounted: { version: 1, data: Type.Exact({ ...request, day: Day }) },
} as const satisfies EventDefinitions;

export type MechRequestEvent = EventUnion<
  Pick<typeof mechEvents, 'MechRequestClaimed' | 'MechRequestServed' | 'MechRequestRefused'>
>;
export type MechDayEvent = EventUnion<
  Pick<typeof mechEvents, 'MechRequestCounted' | 'MechRequestUncounted'>
>;
export type MechEvent = MechRequestEvent | MechDayEvent;
export type OnChain = Static<typeof OnChain>;

const namespace = '6f0b7c0a-0000-5000-8000-6d6563680000';

/** Ids of the marketplace are 256 bits, in hex with or without leading zeros, or in decimal digits. */
const canonicalId = (requestId: string): string => {
  const number = /^\d{1,78}$/.test(requestId) ? BigInt(requestId) : undefined;
  if (number !== undefined && number < 2n ** 256n) {
    return `0x${number.toString(16).padStart(64, '0')}`;
  }
  const digits = /^0x([0-9a-f]{1,64})$/i.exec(requestId)?.[1];
  return digits === undefined ? requestId : `0x${digits.toLowerCase().padStart(64, '0')}`;
};

/** The id on the marketplace, `0x` and 64 digits; undefined where it has none of that form. */
export const chainIdOf = (requestId: string): `0x${string}` | undefined => {
  const id = canonicalId(requestId);
  return /^0x[0-9a-f]{64}$/.test(id) ? (id as `0x${string}`) : undefined;
};

const keyFor = (id: string, test: boolean): string =>
  uuidv5(namespace, `${test ? 'test' : 'live'}\n${id}`);

/** The same for an id however it is written. Test requests are apart. */
export const mechRequestKey = (requestId: string, test: boolean): string =>
  keyFor(canonicalId(requestId), test);

/** Keys that earlier versions may have given to an id: each hex form with fewer leading zeros had its own key. */
export const formerRequestKeys = (requestId: string, test: boolean): string[] => {
  const id = chainIdOf(requestId);
  if (id === undefined) return [];
  const forms = new Set([requestId, `0x${BigInt(id).toString(16)}`]);
  return [...forms]
    .filter((form) => /^0x[0-9a-f]{1,63}$/i.test(form))
    .map((form) => keyFor(form, test));
};

export const mechRequestPrefix = 'mech-request-';
export const mechRequestStream = (requestKey: string): string => mechRequestPrefix + requestKey;

/** A day of test requests or of live ones. */
export const mechDayId = (day: string, test: boolean): string => `${test ? 'test' : 'live'}-${day}`;
export const mechDayStream = (dayId: string): string => `mech-day-${dayId}`;
