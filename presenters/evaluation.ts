/** How often letters keep their SLA and how fast they are, by intent class. Figures of the whole service. */
import type { Static } from 'typebox';
import { Type } from '../ground/type.ts';
import { countries } from '../postal/countries.ts';
import { handoverCutOffHour } from '../postal/delivery-window.ts';
import { addBusinessDays } from '../postal/holidays.ts';
import { intentClasses } from '../postal/intents.ts';
import { services } from '../postal/services.ts';
import {
  type CountryCode,
  countryCodes,
  type Intent,
  intents,
  type ServiceId,
} from '../postal/types.ts';
import type { JourneyCount } from '../projections/letters/query.ts';
import { Day, OneOf, Timestamp } from './common.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });
const orNull = (schema: object, description: string) =>
  Type.Unsafe<number | null>({ anyOf: [schema, { type: 'null' }], description });

const figures = {
  sent: count('Letters posted in the period.'),
  measurable: count('Those with a service that tracks them; on_time + late + in_flight.'),
  not_measurable: count('Letters without tracking, or returned: their delivery time is unknown.'),
  on_time: count('Delivered within the SLA.'),
  late: count('Delivered after the SLA, or not delivered although the SLA has passed.'),
  overdue: count('Late letters that are not delivered yet.'),
  in_flight: count('Not delivered yet, and the SLA has not passed.'),
  returned: count('Letters that came back, with or without tracking; not measured.'),
  attainment: orNull(
    { type: 'number', minimum: 0, maximum: 1 },
    'on_time / (on_time + late); null for 0 / 0.',
  ),
  p50_days: orNull(
    { type: 'integer' },
    'Business days within which half of the delivered letters arrived.',
  ),
  p95_days: orNull({ type: 'integer' }, 'Business days within which 95 % of them arrived.'),
};

const OfClass = Type.Object({
  intent: OneOf(intents),
  sla_days: Type.Integer({ description: 'Business days from posting that the class promises.' }),
  ...figures,
});
const OfCountry = Type.Object({ country: OneOf(countryCodes), ...figures });
const OfMonth = Type.Object({
  month: Type.String({ pattern: '^\\d{4}-\\d{2}$', description: 'Day of posting, UTC.' }),
  ...figures,
});

export const Evaluation = Type.Object(
  {
    from: Day,
    to: Day,
    country: Type.Unsafe<CountryCode | null>({
      anyOf: [{ type: 'string', enum: [...countryCodes] }, { type: 'null' }],
    }),
    mode: OneOf(['live', 'test']),
    as_of: Timestamp,
    data: Type.Array(OfClass, { description: 'The six intent classes, by priority.' }),
    total: Type.Object(figures),
    countries: Type.Array(OfCountry),
    months: Type.Array(OfMonth),
  },
  { $id: 'Evaluation' },
);
export type Evaluation = Static<typeof Evaluation>;
export type Figures = Evaluation['total'];

/** Business days after which it must be there: a class promises no more than its service does. */
const promisedDays = (intent: Intent, service: ServiceId): number =>
  Math.max(intentClasses[intent].slaDays, services[service].slaDays);

/** Business days from one day to another: 0 on the same day. At most `limit` are counted. */
const businessDaysTo = (country: CountryCode, from: string, to: string, limit = 260): number => {
  let days = 0;
  while (days < limit && addBusinessDays(country, from, days) < to) days += 1;
  return days;
};

/** Local day of `nowMs`. */
const localDay = (country: CountryCode, nowMs: number): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: countries[country].timeZone }).format(nowMs);

type Outcome =
  | { is: 'on_time' | 'late'; days: number }
  | { is: 'overdue' | 'in_flight' | 'returned' | 'untracked' };

const outcomeOf = (
  { service, country, countsFrom, delivered, returned, intent }: JourneyCount,
  today: (country: CountryCode) => string,
): Outcome => {
  const id = service as ServiceId;
  const code = country as CountryCode;
  if (returned) return { is: 'returned' };
  if (services[id].tracking === 'none') return { is: 'untracked' };
  const handedOver = addBusinessDays(code, countsFrom, 0);
  const due = addBusinessDays(code, handedOver, promisedDays(intent as Intent, id));
  if (delivered === null) return { is: today(code) > due ? 'overdue' : 'in_flight' };
  const days = businessDaysTo(code, handedOver, delivered);
  return { is: delivered <= due ? 'on_time' : 'late', days };
};

/** The least that at least this part of all does not exceed (nearest rank). */
const percentile = (days: ReadonlyMap<number, number>, part: number): number | null => {
  const total = [...days.values()].reduce((sum, letters) => sum + letters, 0);
  let reached = 0;
  for (const [day, letters] of [...days].sort(([a], [b]) => a - b)) {
    reached += letters;
    if (reached >= Math.ceil(total * part)) return day;
  }
  return null;
};

const attainmentSteps = 10_000;

/** To four decimals. Only 1 where none was late, and only 0 where all were. */
const attainmentOf = (onTime: number, known: number): number => {
  const rounded = Math.round((onTime / known) * attainmentSteps);
  const least = onTime === 0 ? 0 : 1;
  const most = onTime === known ? attainmentSteps : attainmentSteps - 1;
  return Math.min(Math.max(rounded, least), most) / attainmentSteps;
};

type Judged = { journeys: JourneyCount; outcome: Outcome };

const figuresOf = (judged: readonly Judged[]): Figures => {
  const counted = new Map<Outcome['is'], number>();
  const days = new Map<number, number>();
  for (const { journeys, outcome } of judged) {
    counted.set(outcome.is, (counted.get(outcome.is) ?? 0) + journeys.letters);
    if ('days' in outcome) days.set(outcome.days, (days.get(outcome.days) ?? 0) + journeys.letters);
  }
  const of = (is: Outcome['is']): number => counted.get(is) ?? 0;
  const late = of('late') + of('overdue');
  const measurable = of('on_time') + late + of('in_flight');
  const known = of('on_time') + late;
  return {
    sent: measurable + of('untracked') + of('returned'),
    measurable,
    not_measurable: of('untracked') + of('returned'),
    on_time: of('on_time'),
    late,
    overdue: of('overdue'),
    in_flight: of('in_flight'),
    returned: of('returned'),
    attainment: known === 0 ? null : attainmentOf(of('on_time'), known),
    p50_days: percentile(days, 0.5),
    p95_days: percentile(days, 0.95),
  };
};

export type Period = { from: string; to: string; country: CountryCode | null; test: boolean };

/** Parameters of the query of the read model. */
export const zones = countryCodes.map((country) => ({
  country,
  zone: countries[country].timeZone,
}));
export const hoursAfterCutOff = 24 - handoverCutOffHour;

/** Counted from the year 0. */
const monthNumber = (day: string): number =>
  Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;

const monthNamed = (number: number): string =>
  `${String(Math.floor(number / 12)).padStart(4, '0')}-${String((number % 12) + 1).padStart(2, '0')}`;

/** Every month of a period that has begun. */
const monthsOf = ({ from, to }: Period): string[] => {
  const first = monthNumber(from);
  return Array.from({ length: monthNumber(to) - first + 1 }, (_, n) => monthNamed(first + n));
};

export const presentEvaluation = (
  period: Period,
  journeys: readonly JourneyCount[],
  nowMs: number,
): Evaluation => {
  const days = new Map(countryCodes.map((code) => [code, localDay(code, nowMs)]));
  const today = (code: CountryCode): string => days.get(code) ?? '';
  const wanted = journeys.filter(({ country }) => (period.country ?? country) === country);
  const judged = wanted.map((one) => ({ journeys: one, outcome: outcomeOf(one, today) }));
  const where = (fits: (one: JourneyCount) => boolean): Figures =>
    figuresOf(judged.filter((one) => fits(one.journeys)));
  const shown = countryCodes.filter((code) => (period.country ?? code) === code);
  return {
    from: period.from,
    to: period.to,
    country: period.country,
    mode: period.test ? 'test' : 'live',
    as_of: new Date(nowMs).toISOString(),
    data: intents.map((intent) => ({
      intent,
      sla_days: intentClasses[intent].slaDays,
      ...where((one) => one.intent === intent),
    })),
    total: where(() => true),
    countries: shown.map((country) => ({ country, ...where((one) => one.country === country) })),
    months: monthsOf(period).map((month) => ({ month, ...where((one) => one.month === month) })),
  };
};
