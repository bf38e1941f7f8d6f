/** Letters and spending by day. */
import type { Static } from 'typebox';
import { Type } from '../ground/type.ts';
import { decimalOf, type MicroUsd } from '../money/amounts.ts';

const Day = Type.String({ description: 'A day, as `2026-01-31`.' });
const Letters = Type.Integer({
  minimum: 0,
  description: 'Letters that were accepted. A letter that is cancelled later still counts.',
});
const Spent = Type.Number({
  description:
    'USD: money that was reserved, less money that was released or refunded on the same day. Negative if more came back than was spent.',
});

export const Statistics = Type.Named('Statistics', {
  from: Day,
  to: Day,
  time_zone: Type.Literal('UTC', { description: 'The time zone of the days.' }),
  letters: Letters,
  spent: Spent,
  days: Type.Array(Type.Named('DayStatistics', { day: Day, letters: Letters, spent: Spent }), {
    description: 'Every day from `from` to `to`, the earliest first.',
  }),
});

/** `days`: all of them, in order, at least one. */
export const presentStatistics = (
  days: readonly string[],
  letters: ReadonlyMap<string, number>,
  spent: ReadonlyMap<string, MicroUsd>,
): Static<typeof Statistics> => {
  const rows = days.map((day) => ({
    day,
    letters: letters.get(day) ?? 0,
    spentMicro: spent.get(day) ?? 0n,
  }));
  return {
    from: days[0] ?? '',
    to: days.at(-1) ?? '',
    time_zone: 'UTC',
    letters: rows.reduce((total, row) => total + row.letters, 0),
    spent: decimalOf(rows.reduce((total, { spentMicro }) => total + spentMicro, 0n)),
    days: rows.map((row) => ({
      day: row.day,
      letters: row.letters,
      spent: decimalOf(row.spentMicro),
    })),
  };
};
