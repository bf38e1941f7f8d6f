import { type BoundedMap, createBoundedMap } from '../ground/bounded-map.ts';
import { dayMs } from '../ground/day.ts';
import { lazily } from '../ground/lazily.ts';
import { countries } from './countries.ts';
import type { CountryCode } from './types.ts';

const msPerHour = 3_600_000;

const formatterOf = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    hourCycle: 'h23',
  });

/** Half a year ahead, the furthest send date, has 4,400 hours. */
const maxCachedHours = 10_000;

type Clock = { formatter: Intl.DateTimeFormat; offsets: BoundedMap<number, number> };

/**
 * Letters are printed and posted in the country they go to, so its calendar and its clock count.
 * CHOICE: one time zone per country, that of its print house.
 */
const clocks = lazily(
  Object.fromEntries(
    Object.values(countries).map(({ code, timeZone }) => [
      code,
      () => ({ formatter: formatterOf(timeZone), offsets: createBoundedMap(maxCachedHours) }),
    ]),
  ) as Record<CountryCode, () => Clock>,
);

/** Local time minus UTC, ms. These zones change on full hours of UTC: one answer per hour is enough. */
export function zoneOffsetMs(country: CountryCode, epochMs: number): number {
  const hour = Math.floor(epochMs / msPerHour);
  const { formatter, offsets } = clocks[country];
  const known = offsets.get(hour);
  if (known !== undefined) return known;
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of formatter.formatToParts(hour * msPerHour)) {
    if (type !== 'literal') parts[type] = Number(value);
  }
  const { year = Number.NaN, month = Number.NaN, day, hour: localHour } = parts;
  const offset = Date.UTC(year, month - 1, day, localHour) - hour * msPerHour;
  offsets.set(hour, offset);
  return offset;
}

/**
 * Midnight at which a day begins there, epoch ms. These zones never change their clocks at midnight.
 * @param day days since 1970-01-01
 */
export function startOfDay(country: CountryCode, day: number): number {
  const local = day * dayMs;
  const guess = local - zoneOffsetMs(country, local);
  return local - zoneOffsetMs(country, guess);
}
