/**
 * Projections and reactors in a separate process. The process that answers requests starts it and restarts it
 * when it dies; it ends with that process.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { StartRefused } from '../../contract/start-refused.ts';
import type { Log } from '../../ground/log.ts';
import { whyKilled } from '../../ground/why-killed.ts';
import { createStatusBoard, type ProjectionStatus } from '../../projections/status-board.ts';
import { tellAnswering } from '../foundation/answering-load.ts';
import type { LoopDelay } from './loop-delay.ts';
import type { Positions } from './positions.ts';
import type { BackgroundUsage } from './process-metrics.ts';
import type { ReactionStatus } from './run-reactors.ts';

/** The process's reports on its work. */
export type BackgroundReport = {
  projections: ProjectionStatus[];
  /** Absent: as they were. */
  reactions?: ReactionStatus;
  usage?: { residentBytes: number; loopDelay: LoopDelay };
};

/** The process's last message if it refuses to start: the sentence for the operator. */
export type BackgroundRefusal = { refused: string };

/** Sent to the process when a caller waits until the read models have reached a position. */
export type WantedPosition = { wanted: bigint };

/** Sent to the process when its reactors and jobs are to end. Its projections go on until it ends. */
export type EndOfReactions = { endReactions: true };

export type Background = Positions & {
  reactions(): ReactionStatus;
  usage(): BackgroundUsage;
  endReactions(): void;
};

const program = fileURLToPath(new URL('../background.js', import.meta.url));
const firstReportMs = 60_000;
const stopMs = 8_000;
const restartAfterMs = 500;

const tell = (child: ChildProcess, message: WantedPosition | EndOfReactions): void => {
  if (child.connected) child.send(message, () => {});
};

/** Ends a process, by force if it takes too long. */
const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const timer = setTimeout(() => child.kill('SIGKILL'), stopMs);
  child.kill('SIGTERM');
  await ended;
  clearTimeout(timer);
};

/**
 * Starts the process and waits for its first report. `url`: of the database that it works on.
 * @throws StartRefused when the process refuses its first start
 */
export const startBackground = async (options: {
  url: string;
  roles: readonly string[];
  connections: number;
  log: Log;
}): Promise<Background> => {
  const { url, roles, connections, log } = options;
  /** The furthest position that the process was asked for. */
  let wanted = 0n;
  const want = (position: bigint): void => {
    if (position <= wanted || !child.connected) return;
    wanted = position;
    tell(child, { wanted });
  };
  const board = createStatusBoard(want);
  let reactions: ReactionStatus = { reactors: [], wings: [], samples: [] };
  let usage: BackgroundUsage = {
    up: false,
    restarts: 0,
    residentBytes: 0,
    loopDelay: { p50: 0, p99: 0, max: 0 },
  };
  let stopping = false;
  let child: ChildProcess;
  const firstReport = Promise.withResolvers<void>();

  const start = (): void => {
    wanted = 0n;
    child = fork(program, {
      env: {
        ...process.env,
        DATABASE_URL: url,
        DATABASE_URL_FILE: '',
        ROLES: roles.join(),
        DATABASE_CONNECTIONS: String(connections),
      },
      serialization: 'advanced',
    });
    let refused: string | undefined;
    child.on('message', (report: BackgroundReport | BackgroundRefusal) => {
      if ('refused' in report) {
        refused = report.refused;
        firstReport.reject(new StartRefused(refused));
        return;
      }
      board.update(report.projections);
      reactions = report.reactions ?? reactions;
      usage = { ...usage, ...report.usage, up: true };
      // Its first report may come before its projections have looked where they are.
      if (board.statuses().length > 0) firstReport.resolve();
    });
    const tellNoMore = tellAnswering(child);
    child.on('exit', (code, signal) => {
      tellNoMore();
      if (stopping) return;
      usage = { ...usage, up: false, restarts: usage.restarts + 1 };
      const reason = signal === 'SIGKILL' ? whyKilled : undefined;
      log.error(
        { code, signal, refused, reason },
        'the background process ended and is started again',
      );
      board.update(
        board.statuses().map((status) => ({ ...status, state: 'standing-by' as const })),
      );
      setTimeout(() => !stopping && start(), restartAfterMs);
    });
  };

  const stop = (): Promise<void> => {
    stopping = true;
    return end(child);
  };

  start();
  const timer = setTimeout(() => firstReport.resolve(), firstReportMs);
  try {
    await firstReport.promise;
    if (board.statuses().length === 0) {
      throw new Error(`the background process did not report within ${firstReportMs / 1_000} s`);
    }
  } catch (error) {
    await stop();
    throw error;
  } finally {
    clearTimeout(timer);
  }
  const endReactions = (): void => tell(child, { endReactions: true });
  return { ...board, reactions: () => reactions, usage: () => usage, endReactions, stop };
};
