import { countries } from './countries.ts';
import { addBusinessDaysTo, isoOf } from './holidays.ts';
import { services } from './services.ts';
import type { CountryCode, ServiceId } from './types.ts';

/** What is released before this hour, local time, is handed to the operator on the same day. */
export const handoverCutOffHour = 16;

const msPerHour = 3_600_000;
const msPerDay = 24 * msPerHour;

const formatterOf = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    hourCycle: 'h23',
  });

type Clock = { formatter: Intl.DateTimeFormat; offsets: Map<number, number> };

/**
 * Letters are printed and posted in the country they go to, so its calendar and its clock count.
 * CHOICE: one time zone per country, that of its print house.
 */
const clocks = Object.fromEntries(
  Object.values(countries).map(({ code, timeZone }) => [
    code,
    { formatter: formatterOf(timeZone), offsets: new Map() },
  ]),
) as Readonly<Record<CountryCode, Clock>>;

/** Half a year ahead, the furthest send date, has 4,400 hours. */
const maxCachedHours = 10_000;

/** Local time minus UTC, ms. These zones change on full hours of UTC: one answer per hour is enough. */
function zoneOffsetMs(country: CountryCode, epochMs: number): number {
  const hour = Math.floor(epochMs / msPerHour);
  const { formatter, offsets } = clocks[country];
  const known = offsets.get(hour);
  if (known !== undefined) return known;
  if (offsets.size >= maxCachedHours) offsets.clear();
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of formatter.formatToParts(hour * msPerHour)) {
    if (type !== 'literal') parts[type] = Number(value);
  }
  const { year = Number.NaN, month = Number.NaN, day, hour: localHour } = parts;
  const offset = Date.UTC(year, month - 1, day, localHour) - hour * msPerHour;
  offsets.set(hour, offset);
  return offset;
}

function handoverDay(country: CountryCode, releaseAt: number): number {
  if (!Number.isFinite(releaseAt)) throw new RangeError(`release time ${releaseAt} is not a time`);
  const localMs = releaseAt + zoneOffsetMs(country, releaseAt);
  const today = Math.floor(localMs / msPerDay);
  const isLate = localMs - today * msPerDay >= handoverCutOffHour * msPerHour;
  return addBusinessDaysTo(country, isLate ? today + 1 : today, 0);
}

/**
 * The day, `YYYY-MM-DD`, on which a letter released for production at `releaseAt` (epoch ms) is handed
 * to the operator: the same business day before 16:00 local time, else the next one.
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
