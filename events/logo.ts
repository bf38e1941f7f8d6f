/**
 * Events of the logos that an account uploaded. Stream `logos-<account_id>`. The images lie in the blob store,
 * each under a data key of its own (subject: its blob).
 *
 * Persisted contract: see events/letter.ts.
 */
import { Type } from '../ground/type.ts';
import type { EventDefinitions, EventUnion } from './definition.ts';

const Id = Type.String({ minLength: 1, maxLength: 64 });
const Blob = Type.String({ minLength: 1, maxLength: 128 });
const Pixels = Type.Integer({ minimum: 1 });
export const logoEvents = {
  /** Again with the same blob where the same image was uploaded by another request. */
  LogoUploaded: {
    version: 1,
    data: Type.Exact({
      accountId: Id,
      /** Keyed digest of account and image. */
      logoId: Id,
      blob: Blob,
      mediaType: Type.Literals(['image/png', 'image/jpeg']),
      bytes: Type.Integer({ minimum: 1 }),
      width: Pixels,
      height: Pixels,
      requestId: Id,
      requestHash: Type.String({ minLength: 1, maxLength: 64 }),
    }),
  },
  /** A letter or a quote names it, or it was uploaded again; once a day at most. */
  LogoUsed: { version: 1, data: Type.Exact({ accountId: Id, logoId: Id }) },
  LogoDeleted: {
    version: 1,
    data: Type.Exact({ accountId: Id, logoId: Id, blob: Blob }),
  },
} as const satisfies EventDefinitions;

export type LogoEvent = EventUnion<typeof logoEvents>;

export const logosStream = (accountId: string): string => `logos-${accountId}`;
