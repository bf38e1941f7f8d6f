import type { Db } from '../../ground/db.ts';
import { singleFlight } from '../../ground/single-flight.ts';
import { createStatusBoard, type StatusBoard } from '../../projections/status-board.ts';

const pollMs = 20;
/** How long a request waits for what it cannot be answered without. */
export const neededMs = 2_000;

/** The API's knowledge of how far read models are. */
export type Positions = Pick<StatusBoard, 'statuses' | 'reached' | 'waitFor' | 'watch'> & {
  /** Somebody in another process waits for `position`. Absent where other processes project. */
  want?(position: bigint): void;
  stop(): Promise<void>;
};

/** Follows the checkpoints that other processes move, while somebody waits for them. */
export const followCheckpoints = (db: Db, names: string[]): Positions => {
  const board = createStatusBoard();
  board.update(names.map((name) => ({ name, position: 0n, state: 'running' })));

  const refresh = singleFlight(async (): Promise<void> => {
    const { rows } = await db.query<{ name: string; position: bigint }>(
      `select c.name, c.position from read_models.checkpoints c
       join read_models.projections p on p.name = c.name and p.generation = c.generation`,
    );
    const known = rows.filter(({ name }) => names.includes(name));
    board.update(known.map(({ name, position }) => ({ name, position, state: 'running' })));
  });
  const timer = setInterval(() => void refresh().catch(() => {}), 1_000);
  timer.unref();
  /** How many wait: only while somebody does the checkpoints are looked at often. */
  let waiting = 0;
  let polling: NodeJS.Timeout | undefined;

  return {
    ...board,
    async waitFor(wanted, position, timeoutMs, how) {
      const reached = board.waitFor(wanted, position, timeoutMs, how);
      if (waiting++ === 0) polling = setInterval(() => void refresh().catch(() => {}), pollMs);
      try {
        return await reached;
      } finally {
        if (--waiting === 0) clearInterval(polling);
      }
    },
    async stop() {
      clearInterval(timer);
      clearInterval(polling);
    },
  };
};
