/** The link to a letter's tracking page, as callers see it. */

import type { Static } from 'typebox';
import { addDays } from '../ground/day.ts';
import { Type } from '../ground/type.ts';
import { Nullable } from './common.ts';

export const TrackingLink = Type.Named('TrackingLink', {
  url: Nullable(
    Type.String({
      format: 'uri',
      description: 'The link for the recipient. Null after it was revoked.',
    }),
  ),
  ends_on: Type.String({
    format: 'date',
    description: 'The last day on which it opens the page.',
  }),
});

export const RevokedTrackingLink = Type.Named('RevokedTrackingLink', {
  revoked: Type.Literal(true),
});

/** For how many days after the expected delivery a recipient may look. */
const opensForDays = 60;

/** `YYYY-MM-DD`, UTC. */
export const trackingEndsOn = ({ latest }: { latest: string }): string =>
  addDays(latest, opensForDays);

/** A program that finds links in text may leave a last hyphen or underscore out. */
const unbroken = (url: string): string => (/[-_]$/.test(url) ? `${url}&` : url);

/** Opens with a letter's id and the token of its link. */
export const trackingUrlOf = (baseUrl: string, letterId: string, token: string): string =>
  unbroken(`${baseUrl}/track/${letterId}?token=${token}`);

export const presentTrackingLink = (
  url: string | undefined,
  expectedDelivery: { latest: string },
): Static<typeof TrackingLink> => ({ url: url ?? null, ends_on: trackingEndsOn(expectedDelivery) });
