/** Work that waits longer than it should, and failures. */
import { toTimestamp } from '../../../ground/clock.ts';
import type { Db } from '../../../ground/db.ts';
import { numberOf } from '../../../ground/plural.ts';
import { commandRuns, judgeRun, recordedCommands } from '../../../infra/postgres/command-runs.ts';
import type { Backlog, Health, Incident } from '../../../pages/console/operator/desk.ts';
import { printBacklog } from '../../../projections/letters/query.ts';
import { mailsThatWait } from '../../../projections/mails/query.ts';
import { paymentsThatWait } from '../../../projections/payments/query.ts';
import type { Foundation } from '../../foundation/wing.ts';

/** Handing a letter over takes seconds. */
const patienceMs = { due: 10 * 60_000, waiting_for_partner: 2 * 60_000 };

export const partnerOf = ({ config }: Foundation, test: boolean): string =>
  test ? 'simulator' : config.print.partner;

/** Counting what waits reads all of it. */
const backlogRows = ({ storage, clock }: Foundation) =>
  printBacklog(storage.readDb, toTimestamp(clock()));

type BacklogRow = Awaited<ReturnType<typeof backlogRows>>[number];

export const backlogOf = (foundation: Foundation, rows: BacklogRow[]): Backlog[] =>
  rows.map(({ test, stage, count, oldest }) => ({
    partner: partnerOf(foundation, test),
    stage,
    letters: Number(count),
    oldest: oldest.toISOString(),
  }));

const printIncidents = (foundation: Foundation, rows: BacklogRow[]): Incident[] => {
  const now = foundation.clock();
  return rows
    .filter(({ stage, oldest }) => oldest.getTime() < now - patienceMs[stage])
    .map(({ test, stage, count, oldest }) => ({
      kind: stage === 'due' ? 'print_due' : 'print_down',
      subject: partnerOf(foundation, test),
      since: oldest.toISOString(),
      waiting: { count: Number(count), unit: 'letters' },
      page: '/production',
    }));
};

const at = (since: string | undefined): { since?: string } =>
  since === undefined ? {} : { since };

const eventsBehind = (lag: string) => ({ count: Number(lag), unit: 'events' as const });

const readModelIncidents = ({ projections }: Health): Incident[] =>
  projections
    .filter(({ error }) => error !== undefined)
    .map(({ name, lag, since, state, error }) => ({
      kind: 'read_model',
      subject: name,
      waiting: eventsBehind(lag),
      detail: `It is ${state}. ${error}`,
      ...at(since),
      page: '/system',
    }));

const reactorIncidents = ({ reactors }: Health): Incident[] =>
  reactors
    .filter(({ failing, parked, error }) => failing + parked > 0 || error !== undefined)
    .map(({ name, lag, failing, parked, error, since }) => ({
      kind: 'reactor',
      subject: name,
      waiting: eventsBehind(lag),
      detail: [
        ...(failing > 0 ? [`${numberOf(failing, 'task')} failing.`] : []),
        ...(parked > 0 ? [`${numberOf(parked, 'stream')} parked.`] : []),
        ...(error === undefined ? [] : [error]),
      ].join(' '),
      ...at(since),
      page: '/system',
    }));

/** The part of the service that talks to the chain. */
const chainPart = 'payments';

const partIncidents = async ({ unowned, parts = [] }: Health, db: Db): Promise<Incident[]> => {
  const degraded = parts.filter(({ status }) => status === 'degraded');
  const waits = degraded.some(({ name }) => name === chainPart) ? await paymentsThatWait(db) : 0;
  return [
    ...unowned.map((name) => ({ kind: 'unowned' as const, subject: name, page: '/system' })),
    ...degraded.map(({ name, since, detail }) => ({
      kind: 'part' as const,
      subject: name,
      ...at(since),
      ...(name === chainPart ? { waiting: { count: waits, unit: 'payments' as const } } : {}),
      ...(detail === undefined ? {} : { detail }),
      page: '/system',
    })),
  ];
};

type Waiting = { count: number; since: Date | null };

const one = async (db: Db, text: string, values: unknown[] = []): Promise<Waiting> =>
  (await db.query<Waiting>(text, values)).rows[0] ?? { count: 0, since: null };

const queueIncidents = async (db: Db, mails: Waiting): Promise<Incident[]> => {
  const [jobs, webhooks] = await Promise.all([
    one(
      db,
      `select count(*)::int as count, min(failing_since) as since from work.jobs
       where attempts >= max_attempts`,
    ),
    one(
      db,
      `select count(*)::int as count, min(failing_since) as since from deliveries.endpoints
       where active and failing_since is not null`,
    ),
  ]);
  const waiting = { jobs, webhooks, mails };
  const pages = { jobs: '/jobs', webhooks: '/system', mails: '/jobs' };
  return (['jobs', 'webhooks', 'mails'] as const).flatMap((kind) => {
    const { count, since } = waiting[kind];
    if (count === 0) return [];
    return [
      { kind, ...at(since?.toISOString()), waiting: { count, unit: kind }, page: pages[kind] },
    ];
  });
};

const runIncidents = async ({ storage, clock }: Foundation): Promise<Incident[]> => {
  const runs = await commandRuns(storage.readDb);
  return recordedCommands.flatMap((command) => {
    const run = runs.find((known) => known.command === command);
    const { state, found } = judgeRun(command, run, clock());
    if (state !== 'fail') return [];
    return [{ kind: 'command', subject: command, detail: found, page: '/checks' }];
  });
};

/** Counting reads all letters and mails, so that the counts are kept for a while. */
type Counted = { letters: BacklogRow[]; mails: Waiting };

export const countWaiting = async (foundation: Foundation): Promise<Counted> => {
  const [letters, mails] = await Promise.all([
    backlogRows(foundation),
    mailsThatWait(foundation.storage.readDb),
  ]);
  return { letters, mails };
};

export const incidentsOf = async (
  foundation: Foundation,
  health: Health,
  { letters, mails }: Counted,
): Promise<Incident[]> => {
  const { readDb } = foundation.storage;
  const [parts, queues, runs] = await Promise.all([
    partIncidents(health, readDb),
    queueIncidents(readDb, mails),
    runIncidents(foundation),
  ]);
  const stopped = [...readModelIncidents(health), ...reactorIncidents(health)];
  return [...printIncidents(foundation, letters), ...stopped, ...parts, ...queues, ...runs];
};
