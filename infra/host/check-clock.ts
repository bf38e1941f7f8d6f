/** Whether the clock of this machine is plausible and agrees with that of the database. */
import { type Finding, fail, ok, warn } from '../../ground/check.ts';

/** The service was written after this instant, so an earlier time is wrong. */
const earliestMs = Date.parse('2026-11-01T00:00:00Z');
const warnApartMs = 2_000;
const failApartMs = 30_000;
/** Tolerance for times written by other machines, whose clocks differ a little. */
const aheadMs = 10_000;

type Times = {
  /** The clock of this machine. */
  hereMs: number;
  /** The clock of the database, asked at the same moment. */
  databaseMs: number;
  /** How long the question took: the clocks cannot be compared more exactly. */
  tookMs: number;
  /** When the service last wrote to the database, by its own clock. Absent: never. */
  lastWrittenMs: number | undefined;
};

const remedy = 'synchronise the clock (NTP, chrony or systemd-timesyncd)';

const inSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

export const judgeClock = ({ hereMs, databaseMs, tookMs, lastWrittenMs }: Times): Finding => {
  if (hereMs < earliestMs) return fail(`it is ${new Date(hereMs).toISOString()}`, remedy);
  if (lastWrittenMs !== undefined && lastWrittenMs > hereMs + aheadMs) {
    return fail(
      `the clock is ${inSeconds(lastWrittenMs - hereMs)} behind what the service wrote last`,
      remedy,
    );
  }
  const apartMs = Math.max(0, Math.abs(hereMs - databaseMs) - tookMs);
  const found = `${inSeconds(apartMs)} apart from the clock of the database`;
  if (apartMs > failApartMs) return fail(found, `${remedy} on both machines`);
  if (apartMs > warnApartMs) return warn(found, `${remedy} on both machines`);
  return ok(found);
};
