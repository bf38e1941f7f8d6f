import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import type { AnyEvent } from '../../events/envelope.ts';
import type { LetterEvent } from '../../events/letter.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { countries } from '../../postal/countries.ts';
import { intentClasses } from '../../postal/intents.ts';
import { services } from '../../postal/services.ts';
import { intents, type ServiceId, serviceIds } from '../../postal/types.ts';
import {
  type Figures,
  hoursAfterCutOff,
  presentEvaluation,
  zones,
} from '../../presenters/evaluation.ts';
import { countJourneys } from '../../projections/letters/journey-counts.ts';
import { letters } from '../../projections/letters/project.ts';
import { generationTable, type RowSource } from '../../projections/projection.ts';
import { isBusinessDay } from '../support/business-days.ts';
import { sampleTerms } from '../support/letter-samples.ts';
import { freshDatabase } from '../support/postgres.ts';

const hourMs = 3_600_000;
/** Around a change of clocks, Christmas and New Year. */
const start = Date.UTC(2026, 9, 20);
const nowMs = start + 80 * 24 * hourMs;

type Way = {
  id: string;
  intent: (typeof intents)[number];
  service: ServiceId;
  test: boolean;
  production: number;
  posted: { at: number; inferred: boolean } | undefined;
  delivered: number | undefined;
  returned: number | undefined;
  /** How much later its way is reported, with the time of each step; undefined: at once, without. */
  toldLate: number | undefined;
};

const hours = (most: number) => fc.integer({ min: 0, max: most * 60 }).map((m) => m * 60_000);
const way: fc.Arbitrary<Way> = fc
  .record({
    intent: fc.constantFrom(...intents),
    service: fc.constantFrom(...serviceIds),
    test: fc.integer({ min: 0, max: 4 }).map((n) => n === 0),
    begun: hours(60 * 24),
    toPosted: fc.option(hours(30), { nil: undefined, freq: 8 }),
    inferred: fc.boolean(),
    toDelivered: fc.option(hours(12 * 24), { nil: undefined, freq: 3 }),
    toReturned: fc.option(hours(20 * 24), { nil: undefined, freq: 1 }),
    toldLate: fc.option(hours(9 * 24), { nil: undefined }),
  })
  .map(({ begun, toPosted, inferred, toDelivered, toReturned, ...more }) => {
    const production = start + begun;
    const posted = toPosted === undefined ? undefined : { at: production + toPosted, inferred };
    const after = (ms: number | undefined) =>
      posted === undefined || ms === undefined ? undefined : posted.at + ms;
    const [delivered, returned] = [after(toDelivered), after(toReturned)];
    return { id: randomUUID(), ...more, production, posted, delivered, returned };
  });

const eventsOf = (way: Way) => {
  const { id, intent, service, test, production, posted, delivered, returned, toldLate } = way;
  const when = (at: number) =>
    toldLate === undefined ? {} : { reportedAt: new Date(at).toISOString() };
  const told = (at: number): number => at + (toldLate ?? 0);
  const { country } = services[service];
  const terms = sampleTerms({ intent, service, country, test });
  const personal = undefined as never;
  const release = new Date(production).toISOString();
  const times = { cancellableUntil: release, releaseAt: release, requestHash: '', attemptId: '' };
  const events: [number, LetterEvent][] = [
    [production - hourMs, { type: 'LetterQueued', data: { terms, ...times }, personal }],
    [
      production,
      { type: 'LetterProcessingStarted', data: { partner: 'p', jobId: id, source: 'partner' } },
    ],
  ];
  const source = 'carrier' as const;
  if (posted) {
    const { at, inferred } = posted;
    // An inferred event has no time of its own.
    const data = inferred ? { source, inferred } : { source, ...when(at) };
    events.push([inferred ? at : told(at), { type: 'LetterPosted', data }]);
    events.push([told(at), { type: 'LetterInTransit', data: { source } }]);
  }
  if (delivered !== undefined) {
    const data = { source, evidence: 'carrier_scan' as const, ...when(delivered) };
    events.push([told(delivered), { type: 'LetterDelivered', data }]);
  }
  if (returned !== undefined) {
    const data = { source, reason: 'unknown', ...when(returned) };
    events.push([told(returned), { type: 'LetterReturned', data }]);
  }
  return events.map(([at, event], n) => ({
    ...event,
    stream: `letter-${id}`,
    version: BigInt(n),
    position: 1n,
    id: randomUUID(),
    metadata: { at: new Date(at).toISOString() },
  })) as unknown as AnyEvent[];
};

/** Day and hour there. */
const local = (service: ServiceId, ms: number): { day: string; hour: number } => {
  const { timeZone } = countries[services[service].country];
  const text = new Intl.DateTimeFormat('sv-SE', {
    ...({ timeZone, dateStyle: 'short', timeStyle: 'short' } as const),
  }).format(ms);
  return { day: text.slice(0, 10), hour: Number(text.slice(11, 13)) };
};

const next = (day: string): string =>
  new Date(Date.parse(day) + 24 * hourMs).toISOString().slice(0, 10);

/** Counts the calendar day by day. */
const outcomeOf = (one: Way): { is: string; days?: number } => {
  const { posted, delivered, returned, service, production, intent } = one;
  const { tracking, country, slaDays } = services[service];
  if (!posted) return { is: 'not_sent' };
  if (tracking === 'none' || returned !== undefined) return { is: 'not_measurable' };
  const { day, hour } = local(service, posted.inferred ? production : posted.at);
  let from = hour >= 16 ? next(day) : day;
  while (!isBusinessDay(country, from)) from = next(from);
  const until = local(service, delivered ?? nowMs).day;
  let days = 0;
  for (let at = from; at < until; ) {
    at = next(at);
    while (!isBusinessDay(country, at)) at = next(at);
    days += 1;
  }
  const promised = Math.max(slaDays, intentClasses[intent].slaDays);
  if (delivered !== undefined) return { is: days <= promised ? 'on_time' : 'late', days };
  return { is: overdue(from, promised, country, until) ? 'late' : 'in_flight' };
};

const overdue = (
  from: string,
  promised: number,
  country: 'DE' | string,
  today: string,
): boolean => {
  let due = from;
  for (let left = promised; left > 0; left -= 1) {
    do due = next(due);
    while (!isBusinessDay(country as 'DE', due));
  }
  return today > due;
};

const ranked = (days: number[], part: number): number | null =>
  days.toSorted((a, b) => a - b)[Math.ceil(days.length * part) - 1] ?? null;

const recount = (ways: readonly Way[]): Partial<Figures> => {
  const outcomes = ways.map(outcomeOf).filter(({ is }) => is !== 'not_sent');
  const of = (is: string): number => outcomes.filter((one) => one.is === is).length;
  const days = outcomes.flatMap((one) => (one.days === undefined ? [] : [one.days]));
  const [onTime, late] = [of('on_time'), of('late')];
  return {
    sent: outcomes.length,
    measurable: onTime + late + of('in_flight'),
    not_measurable: of('not_measurable'),
    on_time: onTime,
    late,
    in_flight: of('in_flight'),
    attainment:
      onTime + late === 0 ? null : Math.round((onTime / (onTime + late)) * 10_000) / 10_000,
    p50_days: ranked(days, 0.5),
    p95_days: ranked(days, 0.95),
  };
};

describe('SLA attainment', function () {
  this.timeout(180_000);
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let db: ReturnType<typeof createReadDb>;
  const [inBatches, atOnce] = [generationTable(1), generationTable(2)];

  before(async () => {
    database = await freshDatabase();
    db = createReadDb({ url: database.url, max: 2, applicationName: 'test', onError: () => {} });
    for (const table of letters.tables) {
      for (const as of [inBatches(table.name), atOnce(table.name)]) {
        await db.query(table.create(as, undefined));
        for (const statement of table.ownIndexes(as)) await db.query(statement);
      }
    }
    await db.query(`create view read_models.journeys as select * from ${inBatches('journeys')}`);
  });
  after(async () => {
    await db?.close();
    await database?.drop();
  });

  const write = async (events: AnyEvent[], place: typeof inBatches): Promise<void> => {
    const source: RowSource = {
      load: (table, by, values) => table.load(db, place(table.name), by, values),
    };
    for (const { table, kind, rows } of await letters.project(source, events)) {
      const { text, values } = table.statementOf(kind, rows, place(table.name), undefined);
      await db.query(text, values);
    }
  };

  const inPieces = async (events: AnyEvent[], size: number): Promise<void> => {
    for (let at = 0; at < events.length; at += size) {
      await write(events.slice(at, at + size), inBatches);
    }
  };

  it('is what a plain recount gives, whatever the batches, and whatever is told twice or late', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(way, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 0, max: 3 }),
        async (ways, size, seed) => {
          for (const { name } of letters.tables) {
            await db.query(`truncate ${inBatches(name)}, ${atOnce(name)}`);
          }
          // The events of several letters are mixed; those of each letter keep their order.
          const streams = ways.map(eventsOf);
          const mixed: AnyEvent[] = [];
          for (let n = 0; streams.some(({ length }) => length > 0); n += 1) {
            const event =
              streams[(n * 7 + seed) % streams.length]?.shift() ??
              streams.find(({ length }) => length > 0)?.shift();
            if (event) mixed.push(event);
          }
          const again = mixed.filter(
            (event) => event.type === 'LetterPosted' || event.type === 'LetterDelivered',
          );
          const later = again.map((event) => ({
            ...event,
            metadata: { ...event.metadata, at: new Date(nowMs).toISOString() },
          })) as AnyEvent[];
          await inPieces([...mixed, ...later], size);
          await write(mixed, atOnce);
          const rowsOf = async (place: typeof inBatches) =>
            (await db.query(`select * from ${place('journeys')} order by letter_id`)).rows;
          expect(await rowsOf(inBatches)).to.deep.equal(await rowsOf(atOnce));

          const period = { from: '2026-10-01', to: '2027-02-28', country: null, test: false };
          const found = await countJourneys(db, {
            test: false,
            zones,
            hoursAfterCutOff,
            from: new Date(period.from),
            until: new Date('2027-03-01'),
          });
          const shown = presentEvaluation(period, found, nowMs);
          const real = ways.filter(({ test }) => !test);
          expect(shown.total).to.deep.include(recount(real));
          for (const one of shown.data) {
            const own = real.filter(({ intent }) => intent === one.intent);
            expect(one, one.intent).to.deep.include(recount(own));
          }
          for (const one of shown.countries) {
            const own = real.filter(({ service }) => services[service].country === one.country);
            expect(one, one.country).to.deep.include(recount(own));
          }
          const months = shown.months.reduce((sum, { sent }) => sum + sent, 0);
          expect(months).to.equal(shown.total.sent);
        },
      ),
      { numRuns: 40 },
    );
  });
});
