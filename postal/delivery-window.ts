import { addBusinessDaysTo, isoOf } from './holidays.ts';
import { furtherDaysTo } from './remote-destinations.ts';
import { services } from './services.ts';
import type { Address, CountryCode, ServiceId } from './types.ts';
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
 * The days, `YYYY-MM-DD`, between which the operator's standard delivers; an expectation, not proof. Overseas,
 * remote and military destinations take longer.
 * @param letter.releaseAt epoch ms
 * @param letter.to normalised; undefined: a recipient on the mainland
 * @throws RangeError if `releaseAt` is not a time
 */
export function expectedDelivery(letter: {
  service: ServiceId;
  releaseAt: number;
  to: Pick<Address, 'postalCode'> | undefined;
}): { earliest: string; latest: string } {
  const { country, earliestDays, slaDays } = services[letter.service];
  const handover = handoverDay(country, letter.releaseAt);
  const further = furtherDaysTo(country, letter.to?.postalCode ?? '');
  return {
    earliest: isoOf(addBusinessDaysTo(country, handover, earliestDays + further.earliest)),
    latest: isoOf(addBusinessDaysTo(country, handover, slaDays + further.latest)),
  };
}
