import type { Db } from '../../ground/db.ts';

/** A clock that follows the database's, independent of the clock of this machine. */
type DatabaseClock = {
  /** Epoch ms. */
  now(): number;
  /** Looks at the database's clock. */
  tick(): Promise<void>;
};

/**
 * Between two looks it continues with monotonic time.
 * @param look the database's time, epoch ms
 */
export const openDatabaseClock = async (look: () => Promise<number>): Promise<DatabaseClock> => {
  let saidMs = 0;
  let heardMs = 0;
  const tick = async (): Promise<void> => {
    const askedMs = performance.now();
    saidMs = await look();
    heardMs = (askedMs + performance.now()) / 2;
  };
  await tick();
  return { now: () => Math.round(saidMs + performance.now() - heardMs), tick };
};

/** The database's clock, epoch ms; what deliveries and jobs wait for moves with it when it went back. */
export const lookAtDatabaseClock = async (db: Db): Promise<number> => {
  const { rows } = await db.query<{ ms: number }>('select deliveries.tick() as ms');
  return rows[0]?.ms ?? Date.now();
};
