import { addBusinessDaysTo, isoOf } from './holidays.ts';
import { services } from './services.ts';
import type { CountryCode, ServiceId } from './types.ts';
import { msPerDay, zoneOffsetMs } from './zone-time.ts';

/** Letters released before this hour, local time, are handed to the operator on the same day. */
export const handoverCutOffHour = 16;

function handoverDay(country: CountryCode, releaseAt: number): number {
  if (!Number.isFinite(releaseAt)) throw new RangeError(`release time ${releaseAt} is not a time`);
  const localMs = releaseAt + zoneOffsetMs(country, releaseAt);
  const today = Math.floor(localMs / msPerDay);
  const isLate = localMs - today * msPerDay >= handoverCutOffHour * 3_600_000;
  return addBusinessDaysTo(country, isLate ? today + 1 : today, 0);
}

/**
 * The day, `YYYY-MM-DD`, on which a letter released for production at `releaseAt` (epoch ms) is handed
 * to the operator: the same business day before 16:00 local time, otherwise the next one.
 * @throws RangeError if `releaseAt` is not a time
 */
export const handoverDate = (country: CountryCode, releaseAt: number): string =>
  isoOf(handoverDay(country, releaseAt));

/**
 * The days, `YYYY-MM-DD`, between which the operator's standard delivers; an expectation, not proof.
 * @param letter.releaseAt epoch ms
 * @throws RangeError if `releaseAt` is not a time
 */
export function expectedDelivery(letter: { service: ServiceId; releaseAt: number }): {
  earliest: string;
  latest: string;
} {
  const { country, earliestDays, slaDays } = services[letter.service];
  const handover = handoverDay(country, letter.releaseAt);
  return {
    earliest: isoOf(addBusinessDaysTo(country, handover, earliestDays)),
    latest: isoOf(addBusinessDaysTo(country, handover, slaDays)),
  };
}
