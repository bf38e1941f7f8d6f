import { createBoundedMap } from '../ground/bounded-map.ts';
import { dayMs, dayOf } from '../ground/day.ts';
import type { CountryCode } from './types.ts';

/**
 * Days on which the post does not run, by rule. Nationwide days only (GB: England and Wales; CA: and the Civic Holiday);
 * days of single states, provinces or regions are working days here. Saturdays are no business days although
 * most operators deliver on them: a window promises no more than it must.
 *
 * Inside, a day is the number of days since 1970-01-01; outside it is `YYYY-MM-DD`.
 */
type Day = number;

/** @throws RangeError if `isoDate` is not a day `YYYY-MM-DD` */
export function dayNumberOf(isoDate: string): Day {
  const ms = Date.parse(`${isoDate}T00:00:00Z`);
  if (!Number.isInteger(ms)) throw new RangeError(`"${isoDate}" is not a day YYYY-MM-DD`);
  return ms / dayMs;
}

export const isoOf = (day: Day): string => dayOf(day * dayMs);

const date = (year: number, month: number, day: number): Day =>
  Date.UTC(year, month - 1, day) / dayMs;

/** Sunday is 0. 1970-01-01 was a Thursday. */
const weekday = (day: Day): number => (((day + 4) % 7) + 7) % 7;

const isWeekend = (day: Day): boolean => weekday(day) === 0 || weekday(day) === 6;

/** The nth (1-based) such weekday of a month. */
function nth(year: number, month: number, wanted: number, n: number): Day {
  const first = date(year, month, 1);
  return first + ((wanted - weekday(first) + 7) % 7) + (n - 1) * 7;
}

/** The last Monday before a day; before the 1st, the last Monday of the month before. */
function mondayBefore(day: Day): Day {
  const previous = day - 1;
  return previous - ((weekday(previous) + 6) % 7);
}

/** Gregorian Easter Sunday, by the algorithm of Meeus, Jones and Butcher. */
export function easterSunday(year: number): Day {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const g = Math.floor((8 * b + 13) / 25);
  const h = (19 * a + b - Math.floor(b / 4) - g + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const m = Math.floor((a + 11 * h + 19 * l) / 433);
  const month = Math.floor((h + l - 7 * m + 90) / 25);
  return date(year, month, (h + l - 7 * m + 33 * month + 19) % 32);
}

/** Days of the weekend move to the next working day that is free (GB, CA). */
function movedOn(days: readonly Day[]): Day[] {
  const taken = new Set(days.filter((day) => !isWeekend(day)));
  for (const day of days.filter(isWeekend)) {
    let substitute = day;
    while (isWeekend(substitute) || taken.has(substitute)) substitute += 1;
    taken.add(substitute);
  }
  return [...taken];
}

/**
 * A Sunday is observed on the Monday after (5 U.S.C. 6103). A Saturday is not moved: on the Friday before, USPS
 * delivers and its post offices are open, while other federal offices are closed (a spokesperson of USPS about Friday,
 * 10 November 2023, on today.com).
 */
const observedInUs = (day: Day): Day => (weekday(day) === 0 ? day + 1 : day);

/** Federal holidays, as USPS observes them. */
const usHolidays = (year: number): Day[] =>
  [
    date(year, 1, 1),
    nth(year, 1, 1, 3), // Martin Luther King
    nth(year, 2, 1, 3), // Washington
    mondayBefore(date(year, 6, 1)), // Memorial Day
    date(year, 6, 19),
    date(year, 7, 4),
    nth(year, 9, 1, 1), // Labor Day
    nth(year, 10, 1, 2), // Columbus
    date(year, 11, 11),
    nth(year, 11, 4, 4), // Thanksgiving
    date(year, 12, 25),
  ].map(observedInUs);

const frHolidays = (year: number): Day[] => {
  const easter = easterSunday(year);
  return [
    date(year, 1, 1),
    easter + 1,
    date(year, 5, 1),
    date(year, 5, 8),
    easter + 39, // Ascension
    easter + 50, // Whit Monday
    date(year, 7, 14),
    date(year, 8, 15),
    date(year, 11, 1),
    date(year, 11, 11),
    date(year, 12, 25),
  ];
};

const gbHolidays = (year: number): Day[] => {
  const easter = easterSunday(year);
  return movedOn([
    date(year, 1, 1),
    easter - 2,
    easter + 1,
    nth(year, 5, 1, 1), // early May
    mondayBefore(date(year, 6, 1)), // spring
    mondayBefore(date(year, 9, 1)), // summer
    date(year, 12, 25),
    date(year, 12, 26),
  ]);
};

/**
 * The days of federally regulated employers and of Canada Post's collective agreement, and the first Monday in August.
 * It has another name in each province and none in Quebec and Yukon; Canada Post neither collects nor delivers in the
 * other ones, Ontario among them (canadapost-postescanada.ca, operating hours on holidays, 2025 and 2026).
 */
const caHolidays = (year: number): Day[] => {
  const easter = easterSunday(year);
  return movedOn([
    date(year, 1, 1),
    easter - 2,
    easter + 1,
    mondayBefore(date(year, 5, 25)), // Victoria Day
    date(year, 7, 1),
    nth(year, 8, 1, 1), // Civic Holiday
    nth(year, 9, 1, 1), // Labour Day
    date(year, 9, 30), // Truth and Reconciliation
    nth(year, 10, 1, 2), // Thanksgiving
    date(year, 11, 11),
    date(year, 12, 25),
    date(year, 12, 26),
  ]);
};

const deHolidays = (year: number): Day[] => {
  const easter = easterSunday(year);
  return [
    date(year, 1, 1),
    easter - 2,
    easter + 1,
    date(year, 5, 1),
    easter + 39, // Ascension
    easter + 50, // Whit Monday
    date(year, 10, 3),
    date(year, 12, 25),
    date(year, 12, 26),
  ];
};

const rules: Readonly<Record<CountryCode, (year: number) => Day[]>> = {
  US: usHolidays,
  FR: frHolidays,
  GB: gbHolidays,
  CA: caHolidays,
  DE: deHolidays,
};

/** By country and year; years are asked for around now, so few are needed. */
const calendars = createBoundedMap<string, ReadonlySet<Day>>(1_000);

function calendar(country: CountryCode, year: number): ReadonlySet<Day> {
  const key = `${country} ${year}`;
  const known = calendars.get(key);
  if (known !== undefined) return known;
  const days = rules[country](year).filter((day) => !isWeekend(day));
  const computed = new Set(days.sort((a, b) => a - b));
  calendars.set(key, computed);
  return computed;
}

const yearOf = (day: Day): number => new Date(day * dayMs).getUTCFullYear();

/** Whether the post of a country works on that day: Monday to Friday, no nationwide holiday. */
export const isBusinessDayNumber = (country: CountryCode, day: Day): boolean =>
  !isWeekend(day) && !calendar(country, yearOf(day)).has(day);

/** The nth business day after `day`; for n = 0 `day` itself or the first business day after it. */
export function addBusinessDaysTo(country: CountryCode, day: Day, n: number): Day {
  let reached = day;
  for (let left = n; left > 0; left -= 1) {
    do reached += 1;
    while (!isBusinessDayNumber(country, reached));
  }
  while (!isBusinessDayNumber(country, reached)) reached += 1;
  return reached;
}

/**
 * The nth business day after a day; for n = 0 the day itself, or the first business day after it.
 * @throws RangeError for an invalid date, or n that is not an integer from 0 to 3,650
 */
export function addBusinessDays(country: CountryCode, isoDate: string, n: number): string {
  if (!Number.isInteger(n) || n < 0 || n > 3650) {
    throw new RangeError(`${n} is not a number of business days`);
  }
  return isoOf(addBusinessDaysTo(country, dayNumberOf(isoDate), n));
}
