/** When a letter leaves: the one rule for letters that are quoted, sent and changed. Times are epoch ms. */
import type { Clock } from '../../contract/clock.ts';
import { sendTime } from '../../postal/hand-over.ts';
import type { CountryCode } from '../../postal/types.ts';

/** When a live letter may go to the print house, from a time on. */
export type HandOverAt = (country: CountryCode, from: number) => number;

export type ReleasePorts = {
  clock: Clock;
  cancellationWindowMs: number;
  /** Absent: letters go to the print house at any time. */
  handOverAt?: HandOverAt;
};

export const createRelease = ({ clock, cancellationWindowMs, handOverAt }: ReleasePorts) => {
  /** Until then what is accepted now can be cancelled, at least. */
  const windowEnd = (): number => clock() + cancellationWindowMs;

  return {
    windowEnd,
    /**
     * When a letter is released for production, not before `from`. A live letter also waits for the
     * working hours of its print house; it can be cancelled until then.
     * @param sendDate `YYYY-MM-DD`, in the recipient's country
     */
    releaseOf(
      { country, test }: { country: CountryCode; test: boolean },
      sendDate: string | undefined,
      from = windowEnd(),
    ): number {
      const asked = sendDate === undefined ? from : Math.max(from, sendTime(country, sendDate));
      return test || !handOverAt ? asked : handOverAt(country, asked);
    },
  };
};
