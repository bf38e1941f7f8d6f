/** The windows of limits: when the present one began, and when it ends. Pure functions of time and zone. */

import type { LimitPeriod } from '../../events/policy.ts';
import { createBoundedMap } from '../../ground/bounded-map.ts';
import { dayMs } from '../../ground/day.ts';

/** `until`: when its usage stops counting; undefined: never. Epoch ms. */
export type Window = { since: number; until: number | undefined };

export const hourMs = 3_600_000;

const formats = createBoundedMap<string, Intl.DateTimeFormat>(100);

const formatOf = (timeZone: string): Intl.DateTimeFormat => {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hour: '2-digit',
  });
  formats.set(timeZone, format);
  return format;
};

/** Whether it is a name of the IANA database, such as Europe/Berlin. */
export const isTimeZone = (timeZone: string): boolean => {
  if (!/^[A-Za-z]/.test(timeZone)) return false;
  try {
    formatOf(timeZone);
    return true;
  } catch {
    return false;
  }
};

/** Whether two known zones are the same one, whatever their case or alias: `Europe/Berlin`, `europe/berlin`. */
export const isSameZone = (one: string, other: string): boolean =>
  one === other ||
  formatOf(one).resolvedOptions().timeZone === formatOf(other).resolvedOptions().timeZone;

type LocalTime = { month: string; day: string; minuteMs: number };

const localTimeAt = (timeZone: string, at: number): LocalTime => {
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
  for (const { type, value } of formatOf(timeZone).formatToParts(at)) parts[type] = value;
  const month = `${parts.year}-${parts.month}`;
  const minuteMs = (Number(parts.minute) * 60 + Number(parts.second)) * 1_000;
  return { month, day: `${month}-${parts.day}`, minuteMs };
};

/** The first moment in (from, to] at which `isAfter` holds, which holds at `to` and not at `from`. */
const firstMoment = (from: number, to: number, isAfter: (at: number) => boolean): number => {
  let before = from;
  let after = to;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (isAfter(middle)) after = middle;
    else before = middle;
  }
  return after;
};

/** Local dates never run backwards, so the moments of one day or month are one stretch of time. */
const calendarWindow = (timeZone: string, per: 'day' | 'month', at: number): Window => {
  const nameAt = (time: number) => localTimeAt(timeZone, time)[per];
  const name = nameAt(at);
  // Longer than the longest day or month with a change of clocks in it.
  const reach = per === 'day' ? 2 * dayMs + hourMs : 33 * dayMs;
  return {
    since: firstMoment(at - reach, at, (time) => nameAt(time) === name),
    until: firstMoment(at, at + reach, (time) => nameAt(time) !== name),
  };
};

/** Hours begin with the local hour, which in some zones is not the hour of UTC. */
const hourWindow = (timeZone: string, at: number): Window => {
  const second = Math.floor(at / 1_000) * 1_000;
  const since = second - localTimeAt(timeZone, at).minuteMs;
  return { since, until: since + hourMs };
};

const windows = createBoundedMap<string, Window & { until: number }>(1_000);

/** From when on what was used counts. The last 24 hours are kept by hours, of which the first counts whole. */
export const countsSince = (per: LimitPeriod, windowSince: number): number =>
  per === 'rolling_24h' ? windowSince - dayMs : windowSince;

/** When the usage of an hour stops counting for the last 24 hours. */
export const endOfHour = (since: number): number => since + dayMs + hourMs;

/** The window of a moment; of a rolling one the hour in which it is. @throws RangeError for an unknown zone */
export const windowAt = (timeZone: string, per: LimitPeriod, at: number): Window => {
  if (per === 'total' || per === 'letter') return { since: 0, until: undefined };
  if (per === 'rolling_24h') return { since: at - (at % hourMs), until: undefined };
  const key = `${per} ${timeZone}`;
  const known = windows.get(key);
  if (known && known.since <= at && at < known.until) return known;
  const window = per === 'hour' ? hourWindow(timeZone, at) : calendarWindow(timeZone, per, at);
  windows.set(key, window as Window & { until: number });
  return window;
};
