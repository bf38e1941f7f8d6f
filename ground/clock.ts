/** Milliseconds since the epoch. Passed in, so that tests can move time. */
export type Clock = () => number;

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
