/**
 * Events of the link that shows a recipient where a letter is. Stream `tracking-link-<letter_id>`.
 * Every letter has a link from the start; only what changes it is stored.
 *
 * Persisted contract: see events/letter.ts.
 */
import { Type } from '../ground/type.ts';
import type { EventDefinitions, EventUnion } from './definition.ts';

const Id = Type.String({ minLength: 1, maxLength: 64 });
export const trackingLinkEvents = {
  /** The link named here opens the page; every earlier one no longer does. */
  TrackingLinkRenewed: {
    version: 1,
    data: Type.Exact({ accountId: Id, letterId: Id, linkId: Id }),
  },
  /** No link opens the page. */
  TrackingLinkRevoked: {
    version: 1,
    data: Type.Exact({ accountId: Id, letterId: Id }),
  },
} as const satisfies EventDefinitions;

export type TrackingLinkEvent = EventUnion<typeof trackingLinkEvents>;

export const trackingLinkStream = (letterId: string): string => `tracking-link-${letterId}`;
