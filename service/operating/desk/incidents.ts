/** What waits longer than it should, and what fails. */
import { toTimestamp } from '../../../ground/clock.ts';
import type { Db } from '../../../ground/db.ts';
import { numberOf } from '../../../ground/plural.ts';
import { commandRuns, judgeRun, recordedCommands } from '../../../infra/postgres/command-runs.ts';
import type { Backlog, Health, Incident } from '../../../pages/console/operator/desk.ts';
import { printBacklog } from '../../../projections/letters/query.ts';
import type { Foundation } from '../../foundation/wing.ts';

/** Handing a letter over takes seconds. */
const patienceMs = { due: 10 * 60_000, waiting_for_partner: 2 * 60_000 };

const stageWords = { due: 'queued, and due', waiting_for_partner: 'not taken by the print house' };

export const partnerOf = ({ config }: Foundation, test: boolean): string =>
  test ? 'simulator' : config.print.partner;

/** Counting what waits reads all of it. */
export const backlogRows = ({ storage, clock }: Foundation) =>
  printBacklog(storage.readDb, toTimestamp(clock()));

type BacklogRow = Awaited<ReturnType<typeof backlogRows>>[number];

export const backlogOf = (foundation: Foundation, rows: BacklogRow[]): Backlog[] =>
  rows.map(({ test, stage, count, oldest }) => ({
    partner: partnerOf(foundation, test),
    stage: stageWords[stage],
    letters: Number(count),
    oldest: oldest.toISOString(),
  }));

const printIncidents = (foundation: Foundation, rows: BacklogRow[]): Incident[] => {
  const now = foundation.clock();
  return rows
    .filter(({ stage, oldest }) => oldest.getTime() < now - patienceMs[stage])
    .map(({ test, stage, count, oldest }) => ({
      what:
        stage === 'due'
          ? `Letters are due and do not go to ${partnerOf(foundation, test)}`
          : `The print house (${partnerOf(foundation, test)}) takes no letters`,
      since: oldest.toISOString(),
      detail: `${numberOf(count, 'letter')} ${count === 1n ? 'waits' : 'wait'}.`,
      page: '/production',
    }));
};

const healthIncidents = ({ projections, reactors, unowned, parts = [] }: Health): Incident[] => [
  ...projections.flatMap(({ name, state, error, since }) =>
    error === undefined
      ? []
      : [{ what: `Read model ${name} is ${state}`, detail: error, ...at(since), page: '/system' }],
  ),
  ...reactors.flatMap(({ name, failing, parked, error, since }) =>
    failing + parked === 0 && error === undefined
      ? []
      : [
          {
            what: `Reactor ${name} does not get on`,
            detail: [
              ...(failing > 0 ? [`${numberOf(failing, 'task')} failing.`] : []),
              ...(parked > 0 ? [`${numberOf(parked, 'stream')} parked.`] : []),
              ...(error === undefined ? [] : [error]),
            ].join(' '),
            ...at(since),
            page: '/system',
          },
        ],
  ),
  ...unowned.map((name) => ({ what: `No process runs reactor ${name}`, page: '/system' })),
  ...parts
    .filter(({ status }) => status === 'degraded')
    .map(({ name, detail }) => ({
      what: `${name} is degraded`,
      ...(detail === undefined ? {} : { detail }),
      page: '/system',
    })),
];

const at = (since: string | undefined): { since?: string } =>
  since === undefined ? {} : { since };

type Row = { count: number; since: Date | null };

const one = async (db: Db, text: string): Promise<Row> =>
  (await db.query<Row>(text)).rows[0] ?? { count: 0, since: null };

const queueIncidents = async (db: Db): Promise<Incident[]> => {
  const [jobs, webhooks, mails] = await Promise.all([
    one(
      db,
      `select count(*)::int as count, null::timestamptz as since from work.jobs
       where attempts >= max_attempts`,
    ),
    one(
      db,
      `select count(*)::int as count, min(failing_since) as since from deliveries.endpoints
       where active and failing_since is not null`,
    ),
    one(
      db,
      `select count(*)::int as count, min(run_at) as since from work.jobs
       where task = 'mail' and run_at < now() - interval '5 minutes'
         and attempts < max_attempts`,
    ),
  ]);
  const list: [Row, string, string][] = [
    [jobs, `${numberOf(jobs.count, 'job')} failed for good`, '/jobs'],
    [webhooks, `${numberOf(webhooks.count, 'webhook')} failing`, '/system'],
    [mails, `${numberOf(mails.count, 'mail')} waiting`, '/jobs'],
  ];
  return list.flatMap(([{ count, since }, what, page]) =>
    count === 0 ? [] : [{ what, ...at(since?.toISOString()), page }],
  );
};

const runIncidents = async ({ storage, clock }: Foundation): Promise<Incident[]> => {
  const runs = await commandRuns(storage.readDb);
  return recordedCommands.flatMap((command) => {
    const { state, found } = judgeRun(
      command,
      runs.find((run) => run.command === command),
      clock(),
    );
    return state === 'fail' ? [{ what: `Command ${command}`, detail: found, page: '/checks' }] : [];
  });
};

export const incidentsOf = async (
  foundation: Foundation,
  health: Health,
  waiting: BacklogRow[],
): Promise<Incident[]> => {
  const [queues, runs] = await Promise.all([
    queueIncidents(foundation.storage.readDb),
    runIncidents(foundation),
  ]);
  return [...printIncidents(foundation, waiting), ...healthIncidents(health), ...queues, ...runs];
};
