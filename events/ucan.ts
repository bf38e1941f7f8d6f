/**
 * Events of a UCAN token. Stream `ucan-<cid>`, data key subject = the stream.
 *
 * Persisted contract: see events/letter.ts.
 */
import { Type } from '../ground/type.ts';
import { BoundTo } from './bound-to.ts';
import type { EventDefinitions, EventUnion } from './definition.ts';

const Cid = Type.String({ minLength: 10, maxLength: 128 });
const Did = Type.String({ minLength: 8, maxLength: 2_048 });
const Id = Type.String({ minLength: 1, maxLength: 64 });
export const ucanEvents = {
  /**
   * The answer to a request with an Idempotency-Key, in the stream of the request (`ucan-<command id>`). It is
   * written before the tokens' own events, so that a repetition finishes them. Its data key is erased after the
   * time for repetitions.
   */
  UcanRequested: {
    version: 1,
    data: Type.Exact({
      accountId: Id,
      /** The tokens that were made for it, the one asked for last. */
      cids: Type.Array(Cid, { minItems: 1, maxItems: 2 }),
      requestHash: Type.String({ minLength: 1, maxLength: 64 }),
    }),
    personal: Type.Exact({ tokens: Type.Array(Type.String()) }),
  },
  /** Issued or delegated through the service. The token itself is a secret. */
  UcanIssued: {
    version: 2,
    data: Type.Exact({
      cid: Cid,
      accountId: Id,
      kind: Type.Literals(['root', 'delegation']),
      issuer: Did,
      audience: Did,
      /** Seconds since the epoch; null: never. */
      expiresAt: Type.Union([Type.Integer(), Type.Null()]),
      proofs: Type.Array(Cid, { maxItems: 32 }),
      requestHash: Type.String({ minLength: 1, maxLength: 64 }),
      /** Absent: its chain alone says what ends it. */
      boundTo: Type.Optional(BoundTo),
    }),
    personal: Type.Exact({ token: Type.String() }),
    /** Version 1 did not tell by which key a token was asked for. */
    upcasters: { 1: (data) => data },
  },
  /** Irreversible. `by`: the issuer in its chain that revoked it. The token need not be known here. */
  UcanRevoked: {
    version: 1,
    data: Type.Exact({ cid: Cid, accountId: Type.Optional(Id), by: Did }),
  },
  /** An invocation, which counts once; or a letter that a token with `max_letters` was used for. */
  UcanUsed: {
    version: 1,
    data: Type.Exact({
      cid: Cid,
      accountId: Id,
      purpose: Type.Literals(['invocation', 'letter']),
      /** The id of the request or letter that it was used for. */
      use: Id,
    }),
  },
} as const satisfies EventDefinitions;

export type UcanEvent = EventUnion<typeof ucanEvents>;

export const ucanStream = (cid: string): string => `ucan-${cid}`;
