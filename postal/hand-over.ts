import { dayMs } from '../ground/day.ts';
import { addBusinessDaysTo, dayNumberOf, isBusinessDayNumber, isoOf } from './holidays.ts';
import type { CountryCode } from './types.ts';
import { startOfDay, zoneOffsetMs } from './zone-time.ts';

const msPerMinute = 60_000;

/**
 * When jobs go to the print house of a country: on its business days until `cutOffMinutes` after
 * midnight, by its clock. The model is that of GOV.UK Notify, which prints on the same working day
 * what comes before 17:30.
 */
export type HandOverHours = { cutOffMinutes: number };

/** CHOICE: GOV.UK Notify's cut-off (notifications-utils, letter_timings.py) for every country. */
export const usualHandOverHours: HandOverHours = { cutOffMinutes: 17 * 60 + 30 };

/**
 * The first time from `at` on at which a job may be handed over: `at` itself, or the midnight at which
 * the next business day begins there. Epoch ms.
 * @throws RangeError if `at` is not a time
 */
export function handOverTime(country: CountryCode, at: number, hours: HandOverHours): number {
  if (!Number.isFinite(at)) throw new RangeError(`${at} is not a time`);
  const local = at + zoneOffsetMs(country, at);
  const today = Math.floor(local / dayMs);
  const inTime = local - today * dayMs < hours.cutOffMinutes * msPerMinute;
  if (inTime && isBusinessDayNumber(country, today)) return at;
  return startOfDay(country, addBusinessDaysTo(country, today + 1, 0));
}

/** The first send date that a letter can have: today in the country or in UTC, whichever is earlier (`YYYY-MM-DD`). */
export function firstSendDate(country: CountryCode, now: number): string {
  const local = now + zoneOffsetMs(country, now);
  return isoOf(Math.floor(Math.min(now, local) / dayMs));
}

/**
 * When a send date begins, epoch ms: nowhere before it is that day in UTC and in the country.
 * @throws RangeError if `isoDate` is not a day `YYYY-MM-DD`
 */
export function sendTime(country: CountryCode, isoDate: string): number {
  const day = dayNumberOf(isoDate);
  return Math.max(day * dayMs, startOfDay(country, day));
}
