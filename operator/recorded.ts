import type { Clock } from '../ground/clock.ts';
import type { Db } from '../ground/db.ts';
import { messageOf } from '../ground/message-of.ts';
import { type CommandRun, recordRun } from '../infra/postgres/command-runs.ts';
import { exitCodes } from './command.ts';

type Outcome = Pick<CommandRun, 'succeeded' | 'detail'>;

/** Does the work of a command and records how it ended, also with an error. @returns the exit code */
export const recorded = async (
  { db, clock, command }: { db: Db; clock: Clock; command: CommandRun['command'] },
  work: () => Promise<Outcome>,
): Promise<number> => {
  const startMs = performance.now();
  const record = (outcome: Outcome): Promise<void> => {
    const seconds = (performance.now() - startMs) / 1_000;
    return recordRun(db, { command, atMs: clock(), seconds, ...outcome });
  };
  try {
    const outcome = await work();
    await record(outcome);
    return outcome.succeeded ? exitCodes.done : exitCodes.refused;
  } catch (error) {
    await record({ succeeded: false, detail: messageOf(error) }).catch(() => undefined);
    throw error;
  }
};
