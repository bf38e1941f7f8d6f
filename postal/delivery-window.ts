import { dayMs } from '../ground/day.ts';
import { addBusinessDaysTo, dayNumberOf, isoOf } from './holidays.ts';
import { furtherDaysTo } from './remote-destinations.ts';
import { services } from './services.ts';
import type { Address, CountryCode, ServiceId } from './types.ts';
import { zoneOffsetMs } from './zone-time.ts';

/** Letters released before this hour, local time, are handed to the operator on the same day. */
export const handoverCutOffHour = 16;

function handoverDay(country: CountryCode, releaseAt: number): number {
  if (!Number.isFinite(releaseAt)) throw new RangeError(`release time ${releaseAt} is not a time`);
  const localMs = releaseAt + zoneOffsetMs(country, releaseAt);
  const today = Math.floor(localMs / dayMs);
  const isLate = localMs - today * dayMs >= handoverCutOffHour * 3_600_000;
  return addBusinessDaysTo(country, isLate ? today + 1 : today, 0);
}

/**
 * The day, `YYYY-MM-DD`, on which a letter released for production at `releaseAt` (epoch ms) is handed
 * to the operator: the same business day before 16:00 local time, otherwise the next one.
 * @throws RangeError if `releaseAt` is not a time
 */
export const handoverDate = (country: CountryCode, releaseAt: number): string =>
  isoOf(handoverDay(country, releaseAt));

/** The business day of a posting: a letter that is posted in the evening was handed over on that day. */
function postingDay(country: CountryCode, postedAt: number): number {
  if (!Number.isFinite(postedAt)) throw new RangeError(`time of posting ${postedAt} is not a time`);
  const localMs = postedAt + zoneOffsetMs(country, postedAt);
  return addBusinessDaysTo(country, Math.floor(localMs / dayMs), 0);
}

/** Days, `YYYY-MM-DD`. */
export type DeliveryWindow = { earliest: string; latest: string };

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
}): DeliveryWindow {
  const { country, earliestDays, slaDays } = services[letter.service];
  const handover = handoverDay(country, letter.releaseAt);
  const further = furtherDaysTo(country, letter.to?.postalCode ?? '');
  return {
    earliest: isoOf(addBusinessDaysTo(country, handover, earliestDays + further.earliest)),
    latest: isoOf(addBusinessDaysTo(country, handover, slaDays + further.latest)),
  };
}

/**
 * The window of a letter that was posted later than `expected` was computed for: as many business days after its
 * posting. A letter that was posted in time keeps its window.
 * @param letter.releaseAt RFC 3339, what `expected` was computed for; undefined: the window stays
 * @param letter.postedAt RFC 3339; undefined: it is not known to be posted
 */
export function windowFrom(letter: {
  country: CountryCode;
  expected: DeliveryWindow;
  releaseAt: string | undefined;
  postedAt: string | undefined;
}): DeliveryWindow {
  const { country, expected, releaseAt, postedAt } = letter;
  if (releaseAt === undefined || postedAt === undefined) return expected;
  const planned = handoverDay(country, Date.parse(releaseAt));
  const handover = postingDay(country, Date.parse(postedAt));
  if (handover <= planned) return expected;
  const moved = (day: string): string => {
    let days = 0;
    while (addBusinessDaysTo(country, planned, days) < dayNumberOf(day)) days += 1;
    return isoOf(addBusinessDaysTo(country, handover, days));
  };
  return { earliest: moved(expected.earliest), latest: moved(expected.latest) };
}
