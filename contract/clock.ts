/** Milliseconds since the epoch. Passed in, so that tests can move time. */
export type Clock = () => number;

/** RFC 3339 UTC with milliseconds, the only time format of the service. */
export const toTimestamp = (epochMs: number): string => new Date(epochMs).toISOString();
