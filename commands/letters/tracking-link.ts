/** The link that shows a recipient where a letter is: the one in force, renewed and revoked. */
import { type TrackingLinkEvent, trackingLinkStream } from '../../events/tracking-link.ts';
import type { Aggregate } from '../handling/aggregate.ts';

type TrackingLink = {
  /** The link that opens the page; undefined once it was revoked. */
  linkId: string | undefined;
  /** Every link that was made instead of the first one, and when: a repeated request makes none again. */
  renewals: readonly { linkId: string; at: string }[];
};

/** The link that every letter has without anybody asking for it. */
export const firstLinkId = 'first';

const initialState = (): TrackingLink => ({ linkId: firstLinkId, renewals: [] });

const evolve = (state: TrackingLink, event: TrackingLinkEvent, at: string): TrackingLink => {
  switch (event.type) {
    case 'TrackingLinkRenewed': {
      const { linkId } = event.data;
      return { linkId, renewals: [...state.renewals, { linkId, at }] };
    }
    case 'TrackingLinkRevoked':
      return { ...state, linkId: undefined };
    default: {
      const unknown: never = event;
      return unknown;
    }
  }
};

type OfLetter = { accountId: string; letterId: string };

type RenewTrackingLink = OfLetter & { type: 'RenewTrackingLink'; linkId: string };

/** When a link was made; undefined: it was not. */
export const renewedAt = ({ renewals }: TrackingLink, linkId: string): string | undefined =>
  renewals.find((renewal) => renewal.linkId === linkId)?.at;

/** The same link is made once. */
export const renewTrackingLink = (
  state: TrackingLink,
  { accountId, letterId, linkId }: RenewTrackingLink,
): TrackingLinkEvent[] =>
  renewedAt(state, linkId) !== undefined
    ? []
    : [{ type: 'TrackingLinkRenewed', data: { accountId, letterId, linkId } }];

type RevokeTrackingLink = OfLetter & { type: 'RevokeTrackingLink' };

export const revokeTrackingLink = (
  state: TrackingLink,
  { accountId, letterId }: RevokeTrackingLink,
): TrackingLinkEvent[] =>
  state.linkId === undefined
    ? []
    : [{ type: 'TrackingLinkRevoked', data: { accountId, letterId } }];

export const trackingLinkAggregate: Aggregate<TrackingLink, TrackingLinkEvent> = {
  stream: trackingLinkStream,
  initialState,
  evolve,
};
