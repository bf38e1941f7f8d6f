import { dayNumberOf, isBusinessDayNumber, isoOf } from '../../postal/holidays.ts';
import type { CountryCode } from '../../postal/types.ts';

/** Whether the post of a country works on that day. */
export const isBusinessDay = (country: CountryCode, isoDate: string): boolean =>
  isBusinessDayNumber(country, dayNumberOf(isoDate));

/** The days from Monday to Friday of a year on which the post of a country does not run, in order. */
export const holidaysOf = (country: CountryCode, year: number): string[] => {
  const first = dayNumberOf(`${year}-01-01`);
  const days = Array.from(
    { length: dayNumberOf(`${year + 1}-01-01`) - first },
    (_, at) => first + at,
  );
  const weekdays = days.filter((day) => new Date(isoOf(day)).getUTCDay() % 6 !== 0);
  return weekdays.filter((day) => !isBusinessDayNumber(country, day)).map(isoOf);
};
