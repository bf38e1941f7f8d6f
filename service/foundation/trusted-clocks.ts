import { type Clock, clocksDifferMs } from '../../ground/clock.ts';
import type { Log } from '../../ground/log.ts';
import { createTrustedClock, type TrustedClock } from '../../ground/trusted-clock.ts';
import type { Basics } from './basics.ts';

export type TrustedClocks = {
  /** For deeds that a wait after each start would delay: printing, and the ends of periods of contracts. */
  deeds: TrustedClock;
  /**
   * For what is erased or given up by its age. After a start it goes on from the last time that the log knows of: the
   * clock may have been set wrong while no process ran.
   */
  erasureClock: Clock;
};

const inWords = (ms: number): string => {
  const minutes = Math.round(Math.abs(ms) / 60_000);
  const [count, unit] = minutes < 120 ? [minutes, 'minutes'] : [Math.round(minutes / 60), 'hours'];
  return `${count} ${unit} ${ms > 0 ? 'forward' : 'back'}`;
};

const sayJump =
  (log: Log) =>
  (byMs: number): void => {
    const what = `the clock of this machine jumped ${inWords(byMs)}`;
    if (byMs < 0) log.warn({ byMs }, what);
    else
      log.error(
        { byMs },
        `${what}; for an hour nothing is erased, and no letter printed, because of the skipped time: set the clock right within that hour`,
      );
  };

/** A clock that a test moves, without the time since the start of its machine, is trusted as it is. */
export const openTrustedClocks = async ({
  clock,
  uptimeMs,
  log,
  storage,
}: Pick<Basics, 'clock' | 'uptimeMs' | 'log' | 'storage'>): Promise<TrustedClocks> => {
  if (uptimeMs === undefined) {
    return { deeds: { now: clock, skipped: () => undefined }, erasureClock: clock };
  }
  const { rows } = await storage.readDb.query<{ written: Date | null }>(
    'select max(at) as written from identity.checkpoints',
  );
  const written = rows[0]?.written?.getTime();
  return {
    deeds: createTrustedClock({ clock, uptimeMs, jumped: sayJump(log) }),
    erasureClock: createTrustedClock({
      clock,
      uptimeMs,
      passedMs: written === undefined ? undefined : written + clocksDifferMs,
    }).now,
  };
};
