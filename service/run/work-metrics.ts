/** Work that waits and money that is under way, at /metrics. The queries are cheap. */
import { Gauge, type Registry } from 'prom-client';
import type { Db } from '../../ground/db.ts';
import { mailJobKey } from '../../infra/mail/mail-channels.ts';
import { recordedCommands } from '../../infra/postgres/command-runs.ts';
import { returnedLetters } from '../../projections/letters/query.ts';
import { paymentsByStatus } from '../../projections/payments/query.ts';
import { topUpsByStatus } from '../../projections/top-ups/query.ts';
import type { Sample } from '../foundation/wing.ts';

type Row = Record<string, string | number | bigint | boolean>;

const rowsOf = async (db: Db, text: string): Promise<Row[]> => (await db.query<Row>(text)).rows;

/** Jobs also wait for the time of a mail. A job of a mail that the mail server put off is due later, and counts. */
const mailsWaiting = (db: Db): Promise<Row[]> =>
  rowsOf(
    db,
    `select count(*) as count from work.jobs
     where task = 'mail' and attempts < max_attempts and (run_at <= now() or key in (
       select '${mailJobKey('')}' || mail_id from read_models.mails where state = 'retrying'))`,
  );

const jobsFailed = (db: Db): Promise<Row[]> =>
  rowsOf(db, 'select count(*) as count from work.jobs where attempts >= max_attempts');

const webhooksWaiting = (db: Db): Promise<Row[]> =>
  rowsOf(
    db,
    `select kind, count(*) as count from deliveries.messages
     where state in ('due', 'waiting') group by kind`,
  );

const endpointsFailing = (db: Db): Promise<Row[]> =>
  rowsOf(
    db,
    `select kind, count(*) as count from deliveries.endpoints
     where active and failing_since is not null group by kind`,
  );

const commands = { command: recordedCommands };

const ofCommands = (db: Db, value: string): Promise<Row[]> =>
  rowsOf(db, `select command, ${value} as count from operation.command_runs`);

type Figure = {
  name: string;
  help: string;
  /** Labels with their values, where all series must always be there. */
  labels: Record<string, readonly string[]>;
  read(db: Db): Promise<Row[]>;
};

const kinds = { kind: ['status', 'audit'] };

const figures: Figure[] = [
  {
    name: 'letters_returned',
    help: 'Letters that were returned',
    labels: { mode: ['live', 'test'] },
    read: async (db) =>
      (await returnedLetters(db)).map(({ test, count }) => ({
        mode: test ? 'test' : 'live',
        count,
      })),
  },
  {
    name: 'mails_waiting',
    help: 'Mails that are due or are tried again, and not sent yet',
    labels: {},
    read: mailsWaiting,
  },
  {
    name: 'jobs_failed',
    help: 'Background jobs that have no attempt left',
    labels: {},
    read: jobsFailed,
  },
  {
    name: 'webhook_deliveries_waiting',
    help: 'Deliveries to webhooks that are not done, by kind of webhook',
    labels: kinds,
    read: webhooksWaiting,
  },
  {
    name: 'webhook_endpoints_failing',
    help: 'Webhooks whose last deliveries failed, by kind',
    labels: kinds,
    read: endpointsFailing,
  },
  {
    name: 'topups',
    help: 'Top-ups by method and status',
    labels: {
      method: ['usdc', 'lightning', 'card'],
      status: ['pending', 'paid', 'expired'],
    },
    read: topUpsByStatus,
  },
  {
    name: 'payments',
    help: 'Payments per request (x402) by status',
    labels: { status: ['claimed', 'settled', 'reverted', 'lapsed'] },
    read: paymentsByStatus,
  },
  {
    name: 'command_success_timestamp_seconds',
    help: 'When a command of the operator last succeeded; 0: never',
    labels: commands,
    read: (db) => ofCommands(db, 'coalesce(extract(epoch from succeeded_at), 0)'),
  },
  {
    name: 'command_failed',
    help: '1 if the last run of a command of the operator failed or found something wrong',
    labels: commands,
    read: (db) => ofCommands(db, '(not succeeded)::int'),
  },
  {
    name: 'command_seconds',
    help: 'How long the last run of a command of the operator took',
    labels: commands,
    read: (db) => ofCommands(db, 'seconds'),
  },
];

type Counted = Pick<Sample, 'labels' | 'value'>;

/** By the name of the figure. */
export type WorkFigures = ReadonlyMap<string, readonly Counted[]>;

/** Figures that cannot be read are left out. */
export const readWork = async (db: Db): Promise<WorkFigures> => {
  const known = new Map<string, Counted[]>();
  for (const { name, labels, read } of figures) {
    const rows = await read(db).catch(() => undefined);
    const counted = rows?.map((row) => {
      const named = Object.keys(labels).map((label) => [label, String(row[label])]);
      return { labels: Object.fromEntries(named), value: Number(row.count) };
    });
    if (counted) known.set(name, counted);
  }
  return known;
};

/** Every combination of the values. */
const combinations = (labels: Record<string, readonly string[]>): Record<string, string>[] =>
  Object.entries(labels).reduce<Record<string, string>[]>(
    (made, [label, values]) =>
      made.flatMap((one) => values.map((value) => ({ ...one, [label]: value }))),
    [{}],
  );

/** A figure that cannot be read stays as it was: no alert may say that nothing waits or that no backup was made. */
export const addWorkMetrics = (registry: Registry, work: () => Promise<WorkFigures>): void => {
  for (const { name, help, labels } of figures) {
    new Gauge({
      name,
      help,
      labelNames: Object.keys(labels),
      registers: [registry],
      async collect() {
        const samples = (await work()).get(name);
        if (!samples) return;
        for (const combination of combinations(labels)) this.set(combination, 0);
        for (const sample of samples) this.set(sample.labels ?? {}, sample.value);
      },
    });
  }
};
