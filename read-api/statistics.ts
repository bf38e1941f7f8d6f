import { type AnyOperation, operation } from '../contract/operation.ts';
import type { Clock } from '../ground/clock.ts';
import { dayMs, dayOf, isDay } from '../ground/day.ts';
import type { Db } from '../ground/db.ts';
import { Type } from '../ground/type.ts';
import { limitTable } from '../limits/table.ts';
import { presentStatistics, Statistics } from '../presenters/statistics.ts';
import { spentByDay } from '../projections/ledger/query.ts';
import { lettersByDay } from '../projections/letters/query.ts';
import { invalidQuery } from './invalid-query.ts';

const mostDays = limitTable.statisticsDays.usual;
const usualDays = 30;

const Day = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 40, description }));

/** Midnight in UTC at the beginning of a day. @throws AppError validation_failed */
const dayAt = (name: 'from' | 'to', text: string): number => {
  if (isDay(text) && text >= '2000-01-01') return Date.parse(text);
  throw invalidQuery(name, `${name} is not a day since 2000-01-01. Write it as 2026-01-31.`);
};

/** Every day of a range, the earliest first. @throws AppError validation_failed */
const daysBetween = (
  query: { from?: string | undefined; to?: string | undefined },
  now: number,
): string[] => {
  const to = query.to === undefined ? now - (now % dayMs) : dayAt('to', query.to);
  const from = query.from === undefined ? to - (usualDays - 1) * dayMs : dayAt('from', query.from);
  if (from > to) {
    throw invalidQuery(
      'from',
      'from must not be after to. If there is no to, from must not be in the future.',
      { kind: 'order' },
    );
  }
  const count = (to - from) / dayMs + 1;
  if (count > mostDays) {
    throw invalidQuery(
      'from',
      `The range has ${count} days. Ask for at most ${mostDays} days with from and to.`,
      { kind: 'days', most: mostDays },
    );
  }
  return Array.from({ length: count }, (_, n) => dayOf(from + n * dayMs));
};

export const statisticsOperation = ({ db, clock }: { db: Db; clock: Clock }): AnyOperation =>
  operation({
    name: 'get_statistics',
    method: 'GET',
    path: '/api/statistics',
    tag: 'Wallet',
    summary: 'Count letters and add up spending by day',
    description: `Returns how many letters were accepted on each day and what was spent. Money counts on the day on which it is reserved, and counts back on the day on which it is released or refunded. Money that is paid in or charged back does not count. Days are in UTC. The default is the last ${usualDays} days, and a range has at most ${mostDays}.`,
    access: 'read',
    permit: { about: 'account' },
    payable: true,
    input: {
      query: Type.Exact({
        from: Day(`First day. Default: ${usualDays} days that end with \`to\`.`),
        to: Day('Last day. Default: today.'),
      }),
    },
    responses: { 200: { description: 'Letters and spending by day', schema: Statistics } },
    errors: ['validation_failed'],
    async handle({ caller: { accountId }, query }) {
      const days = daysBetween(query, clock());
      const range = { from: days[0] ?? '', to: days.at(-1) ?? '' };
      const [letters, spent] = await Promise.all([
        lettersByDay(db, accountId, range),
        spentByDay(db, accountId, range),
      ]);
      return { body: presentStatistics(days, letters, spent) };
    },
  });
