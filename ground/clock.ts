/** Milliseconds since the epoch. Passed in, so that tests can move time. */
export type Clock = () => number;

/**
 * Clocks of processes and of the database differ by less than this: `doctor` fails where two of them are 30 s apart.
 */
export const clocksDifferMs = 60_000;

let lastMs = Number.NaN;
let lastTimestamp = '';

/** RFC 3339 UTC with milliseconds, the only time format of the service. */
export const toTimestamp = (epochMs: number): string => {
  if (epochMs !== lastMs) {
    lastTimestamp = new Date(epochMs).toISOString();
    lastMs = epochMs;
  }
  return lastTimestamp;
};

const endOfTimesMs = Date.UTC(10_000, 0) - 1;
const isFiner = /\.\d{3}\d*[1-9]/;

/**
 * The first millisecond at or after an RFC 3339 time, at most the last one of the year 9999. Programs write times with
 * micro- or nanoseconds, which `Date.parse` cuts off; what happens here happens at a millisecond.
 */
export const msAtOrAfter = (time: string): number =>
  isFiner.test(time) ? Math.min(Date.parse(time) + 1, endOfTimesMs) : Date.parse(time);
