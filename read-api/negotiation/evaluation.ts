/** How the service keeps its promises: as JSON for programs, as a page for people. */

import type { AppError } from '../../contract/errors.ts';
import { type AnyOperation, type Caller, operation } from '../../contract/operation.ts';
import { invalidField } from '../../contract/refusals.ts';
import { createBoundedMap } from '../../ground/bounded-map.ts';
import type { Clock } from '../../ground/clock.ts';
import { dayMs, dayOf } from '../../ground/day.ts';
import type { Db } from '../../ground/db.ts';
import { Type } from '../../ground/type.ts';
import { limitTable } from '../../limits/table.ts';
import { evaluationPage } from '../../pages/evaluation/evaluation-page.ts';
import { countryCodes } from '../../postal/types.ts';
import { OneOf } from '../../presenters/common.ts';
import {
  Evaluation,
  hoursAfterCutOff,
  type Period,
  presentEvaluation,
  zones,
} from '../../presenters/evaluation.ts';
import { countJourneys } from '../../projections/letters/query.ts';
import { pageHeaders, pageResponse } from '../audit-page.ts';

const usualDays = 90;
const mostDays = limitTable.evaluationDays.usual;
/** Anybody may ask: the same question is asked of the database at most so often. */
const keptMs = 1_000;

const Query = Type.Exact({
  from: Type.Optional(
    Type.String({
      maxLength: 10,
      description: `First day of posting, UTC. Default: ${usualDays} days before \`to\`.`,
    }),
  ),
  to: Type.Optional(
    Type.String({ maxLength: 10, description: 'Last day, included. Default: today.' }),
  ),
  country: Type.Optional(
    OneOf(countryCodes, 'The country of the recipients. Default: all countries.'),
  ),
  mode: Type.Optional(
    OneOf(['live', 'test'], 'Default: `live`, or `test` with a test key. The two are never mixed.'),
  ),
});
type Query = { from?: string; to?: string; country?: Period['country']; mode?: 'live' | 'test' };

const invalid = (name: 'from' | 'to', detail: string): AppError =>
  invalidField(`/query/${name}`, 'not_allowed', detail);

/** @throws AppError validation_failed */
const dayMsOf = (name: 'from' | 'to', day: string): number => {
  // Dates computed from a day keep years of four digits.
  const ms = /^2\d{3}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  if (!Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day)) return ms;
  throw invalid(
    name,
    `${name} is not a day between the years 2000 and 2999. Write it as 2026-01-31.`,
  );
};

/** @throws AppError validation_failed */
const periodOf = (query: Query, caller: Caller | undefined, nowMs: number): Period => {
  const { country = null, mode = caller?.test ? 'test' : 'live' } = query;
  const to = query.to === undefined ? dayMsOf('to', dayOf(nowMs)) : dayMsOf('to', query.to);
  const from =
    query.from === undefined ? to - (usualDays - 1) * dayMs : dayMsOf('from', query.from);
  if (from > to) throw invalid('from', `from (${dayOf(from)}) is after to (${dayOf(to)}).`);
  if (to - from >= mostDays * dayMs) {
    throw invalid(
      'from',
      `from and to are more than ${mostDays} days apart. Ask for a shorter period.`,
    );
  }
  return { from: dayOf(from), to: dayOf(to), country, test: mode === 'test' };
};

type EvaluationPorts = {
  db: Db;
  clock: Clock;
  /** The path of the public address of the service. */
  prefix: string;
};

export const evaluationOperations = ({ db, clock, prefix }: EvaluationPorts): AnyOperation[] => {
  const kept = createBoundedMap<
    string,
    { atMs: number; journeys: ReturnType<typeof countJourneys> }
  >(50);

  const journeysOf = ({ from, to, test }: Period) => {
    const key = `${from} ${to} ${test}`;
    const known = kept.get(key);
    if (known && clock() - known.atMs < keptMs) return known.journeys;
    const journeys = countJourneys(db, {
      test,
      zones,
      hoursAfterCutOff,
      from: new Date(from),
      until: new Date(Date.parse(to) + dayMs),
    });
    kept.set(key, { atMs: clock(), journeys });
    journeys.catch(() => kept.delete(key));
    return journeys;
  };

  const evaluate = async (query: Query, caller: Caller | undefined) => {
    const period = periodOf(query, caller, clock());
    return presentEvaluation(period, await journeysOf(period), clock());
  };

  const evaluation = operation({
    name: 'get_evaluation',
    method: 'GET',
    path: '/api/anp/eval',
    tag: 'Negotiation',
    summary: 'Get the SLA attainment of each intent class',
    description: `Covers letters posted in a period of at most ${mostDays} days, from the reports of print houses and postal operators. The figures are for the whole service and never show whose letters they count. Days are business days of the country, from hand-over. Letters posted after 16:00 local time count from the next day.`,
    access: 'public',
    input: { query: Query },
    responses: { 200: { description: 'The figures', schema: Evaluation } },
    errors: [],
    handle: async ({ query, caller }) => ({ body: await evaluate(query, caller) }),
  });

  const viewEvaluation = operation({
    name: 'view_evaluation',
    method: 'GET',
    path: '/anp/eval',
    tag: 'Negotiation',
    summary: 'Show the same figures as a page with charts',
    description:
      'The page takes the same filters as `GET /api/anp/eval` and shows the same figures.',
    access: 'public',
    input: { query: Query },
    responses: pageResponse,
    errors: [],
    handle: async ({ query, caller }) => ({
      body: Buffer.from(evaluationPage(await evaluate(query, caller), prefix)),
      headers: pageHeaders,
    }),
  });

  return [evaluation, viewEvaluation];
};
