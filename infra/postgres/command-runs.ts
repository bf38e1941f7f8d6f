/** When commands that protect the service last ran: what `doctor` and /metrics know of them. */

import { type Check, type Finding, fail, ok, warn } from '../../ground/check.ts';
import { dayMs } from '../../ground/day.ts';
import type { Db } from '../../ground/db.ts';
import { numberOf } from '../../ground/plural.ts';

export const recordedCommands = ['backup', 'verify', 'restore-drill', 'reconcile'] as const;
type RecordedCommand = (typeof recordedCommands)[number];

export type CommandRun = {
  command: RecordedCommand;
  ran_at: Date;
  succeeded: boolean;
  seconds: number;
  succeeded_at: Date | null;
  detail: string;
};

type Outcome = Pick<CommandRun, 'command' | 'succeeded' | 'seconds' | 'detail'> & {
  /** Epoch ms. */
  atMs: number;
};

export const recordRun = async (db: Db, outcome: Outcome): Promise<void> => {
  const { command, atMs, succeeded, seconds, detail } = outcome;
  await db.query(
    `insert into operation.command_runs (command, ran_at, succeeded, seconds, succeeded_at, detail)
     values ($1, $2, $3, $4, case when $3 then $2::timestamptz end, $5)
     on conflict (command) do update set ran_at = $2, succeeded = $3, seconds = $4, detail = $5,
       succeeded_at = coalesce(excluded.succeeded_at, command_runs.succeeded_at)`,
    [command, new Date(atMs).toISOString(), succeeded, seconds, detail],
  );
};

/** Anything that asks a database. */
type Asking = { query(text: string): Promise<{ rows: unknown[] }> };

export const commandRuns = async (db: Asking): Promise<CommandRun[]> => {
  const { rows } = await db.query('select * from operation.command_runs');
  return rows as CommandRun[];
};

const limitDays: Record<RecordedCommand, { warn: number; fail: number }> = {
  backup: { warn: 2, fail: 7 },
  verify: { warn: 8, fail: 31 },
  'restore-drill': { warn: 35, fail: 100 },
  reconcile: { warn: 8, fail: 31 },
};

const guides: Record<RecordedCommand, string> = {
  backup: 'docs/backup.md',
  verify: 'docs/operations.md',
  'restore-drill': 'docs/backup.md',
  reconcile: 'docs/money.md',
};

const ageOf = (ms: number): string => {
  const hours = ms / 3_600_000;
  if (hours < 1) return 'less than an hour';
  return hours < 48 ? numberOf(Math.round(hours), 'hour') : numberOf(Math.round(hours / 24), 'day');
};

/** Judges when a command last succeeded. */
export const judgeRun = (
  command: RecordedCommand,
  run: CommandRun | undefined,
  nowMs: number,
): Finding => {
  const remedy = `run: npm run operator -- ${command} (${guides[command]})`;
  if (!run) return warn(`${command} has never run`, remedy);
  if (!run.succeeded) {
    return fail(`the last ${command} failed at ${run.ran_at.toISOString()}: ${run.detail}`, remedy);
  }
  const agoMs = Math.max(0, nowMs - run.ran_at.getTime());
  const found = `the last ${command} succeeded ${ageOf(agoMs)} ago`;
  const limits = limitDays[command];
  if (agoMs > limits.fail * dayMs) return fail(found, remedy);
  return agoMs > limits.warn * dayMs ? warn(found, remedy) : ok(found);
};

export const checkRun = (
  command: RecordedCommand,
  runs: () => Promise<CommandRun[]>,
  nowMs: () => number,
): Check => ({
  name: command,
  remedy: `run: npm run operator -- ${command}`,
  async run() {
    const found = (await runs()).find((run) => run.command === command);
    return judgeRun(command, found, nowMs());
  },
});
