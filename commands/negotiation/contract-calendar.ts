/**
 * The periods of a contract, as instants. They are made once, by the calendar of a time zone, and kept:
 * whatever clocks do later, the periods stay.
 */

import type { ContractPeriodLength } from '../../events/volume-contract.ts';
import { toTimestamp } from '../../ground/clock.ts';
import { dayMs } from '../../ground/day.ts';

const months: Record<ContractPeriodLength, number> = { month: 1, quarter: 3, year: 12 };

const formatterOf = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });

/** Whether it is the name of a time zone, such as `Europe/Berlin`. An offset such as `+02:00` is not a name. */
export const isTimeZone = (name: string): boolean => {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name)) return false;
  try {
    formatterOf(name);
    return true;
  } catch {
    return false;
  }
};

/** A clock of the zone: its local time at an instant, as if it were UTC. Epoch ms both. */
const localClock = (timeZone: string) => {
  const formatter = formatterOf(timeZone);
  return (instant: number): number => {
    const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
    for (const { type, value } of formatter.formatToParts(instant)) {
      if (type !== 'literal') parts[type] = Number(value);
    }
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    const milliseconds = ((instant % 1_000) + 1_000) % 1_000;
    return Date.UTC(year, month - 1, day, hour, minute, second, milliseconds);
  };
};

/**
 * The instant at which it is that local time: the first where clocks are put back; where they are put
 * forward over it, as much later as they are.
 */
const instantAt = (localOf: (instant: number) => number, local: number): number => {
  const before = localOf(local - dayMs) - (local - dayMs);
  const after = localOf(local + dayMs) - (local + dayMs);
  const instants = [before, after].map((offset) => local - offset);
  return instants.find((one) => localOf(one) === local) ?? local - before;
};

/** The same time of day a number of months later; on the last day of a month that is too short. */
const monthsLater = (local: number, count: number): number => {
  const date = new Date(local);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + count];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const day = Math.min(date.getUTCDate(), lastDay);
  return Date.UTC(year, month, day) + (((local % dayMs) + dayMs) % dayMs);
};

/** The beginning of a day there, epoch ms. @param day `YYYY-MM-DD` */
export const startOfDayIn = (day: string, timeZone: string): number =>
  instantAt(localClock(timeZone), Date.parse(`${day}T00:00:00.000Z`));

/** The local time of `startsAt`: midnight for the first instant of a day, also of one that has no midnight. */
const localStart = (localOf: (instant: number) => number, startsAt: number): number => {
  const local = localOf(startsAt);
  const midnight = local - (((local % dayMs) + dayMs) % dayMs);
  return instantAt(localOf, midnight) === startsAt ? midnight : local;
};

/**
 * A number of periods from `startsAt` (epoch ms). Each ends a number of months after the first began: a
 * contract from the 31st ends on the 28th or the 30th, and then on the 31st again.
 */
export const periodsFrom = (
  startsAt: number,
  { period, count, timeZone }: { period: ContractPeriodLength; count: number; timeZone: string },
): { startsAt: string; endsAt: string }[] => {
  const localOf = localClock(timeZone);
  const start = localStart(localOf, startsAt);
  const borders = Array.from({ length: count + 1 }, (_, n) =>
    n === 0 ? startsAt : instantAt(localOf, monthsLater(start, n * months[period])),
  );
  return borders.slice(1).map((end, n) => ({
    startsAt: toTimestamp(borders[n] as number),
    endsAt: toTimestamp(end),
  }));
};
