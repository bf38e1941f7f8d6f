/** When a letter leaves: the one rule for letters that are quoted, sent and changed. Times are epoch ms. */

import type { LetterStatus } from '../../contract/letter-status.ts';
import type { Clock } from '../../ground/clock.ts';
import { firstSendDate, sendTime } from '../../postal/hand-over.ts';
import type { CountryCode } from '../../postal/types.ts';

/** When a live letter may go to the print house, from a time on. */
export type HandOverAt = (country: CountryCode, from: number) => number;

export type ReleasePorts = {
  clock: Clock;
  cancellationWindowMs: number;
  /** Absent: letters go to the print house at any time. */
  handOverAt?: HandOverAt;
};

/** The facts of a letter that is not handed over. */
export type Unreleased = {
  status: LetterStatus;
  country: CountryCode;
  test: boolean;
  sendDate: string | undefined;
  /** RFC 3339; absent: it was never queued. */
  releaseAt: string | undefined;
};

/** The send date (`YYYY-MM-DD`) unless it passed while the letter was a draft. @param now epoch ms */
export const stillAhead = (
  { sendDate, country }: { sendDate?: string | undefined; country: string },
  now: number,
): string | undefined =>
  sendDate !== undefined && sendDate >= firstSendDate(country as CountryCode, now)
    ? sendDate
    : undefined;

export const createRelease = ({ clock, cancellationWindowMs, handOverAt }: ReleasePorts) => {
  /** Until then what is accepted now can be cancelled, at least. */
  const windowEnd = (): number => clock() + cancellationWindowMs;

  /**
   * When a letter is released for production, not before `from`. A live letter also waits for the
   * working hours of its print house; it can be cancelled until then.
   * @param sendDate `YYYY-MM-DD`, in the recipient's country
   */
  const releaseOf = (
    { country, test }: { country: CountryCode; test: boolean },
    sendDate: string | undefined,
    from = windowEnd(),
  ): number => {
    const asked = sendDate === undefined ? from : Math.max(from, sendTime(country, sendDate));
    return test || !handOverAt ? asked : handOverAt(country, asked);
  };

  return {
    windowEnd,
    releaseOf,
    /** When production of a letter will begin, as far as can be said; of a draft: if it is sent now. */
    expectedRelease(letter: Unreleased): number {
      const { status, releaseAt } = letter;
      const now = clock();
      if (releaseAt === undefined) return releaseOf(letter, stillAhead(letter, now));
      const at = Date.parse(releaseAt);
      return status === 'queued' ? releaseOf(letter, undefined, Math.max(at, now)) : at;
    },
  };
};
