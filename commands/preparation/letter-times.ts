/** When a letter is released, and until when its sender can cancel it. */

import { toTimestamp } from '../../ground/clock.ts';
import type { CountryCode } from '../../postal/types.ts';
import { createRelease, type ReleasePorts } from './release.ts';

export const createLetterTimes = (ports: ReleasePorts) => {
  const { releaseOf, windowEnd } = createRelease(ports);

  /** When a letter that is accepted now, or was so long before, is released at the earliest. Epoch ms. */
  const earliestRelease = (sendDate: string | undefined, agoMs = 0): number => {
    const sendAt = sendDate === undefined ? 0 : Date.parse(`${sendDate}T00:00:00Z`);
    return Math.max(windowEnd() - agoMs, sendAt);
  };

  /**
   * The earliest release of a queued letter that is changed now, in epoch ms. In another country the send date and the
   * hours of the print house begin at other times; the cancellation window stays as it was.
   */
  const releaseAfterChange = (releaseAt: string, { moved }: { moved: boolean }): number => {
    const at = Date.parse(releaseAt);
    // The window ended no later than the letter was to be released, and no later than it would end from now on.
    return moved ? Math.min(at, windowEnd()) : at;
  };

  /** Without `letter`: as early as it can be, whatever its country. */
  const timesOf = (
    sendDate: string | undefined,
    magic: boolean,
    letter?: { country: string; test: boolean },
  ) => {
    const release = letter
      ? releaseOf({ ...letter, country: letter.country as CountryCode }, sendDate, windowEnd())
      : earliestRelease(sendDate);
    return {
      cancellableUntil: toTimestamp(release),
      releaseAt: toTimestamp(magic ? ports.clock() : release),
    };
  };

  return { timesOf, earliestRelease, releaseAfterChange };
};
