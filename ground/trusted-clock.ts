import { type Clock, clocksDifferMs } from './clock.ts';

/** A clock is believed when it has run on for this long after a jump. */
const believedAfterMs = 3_600_000;

/**
 * The clock for deeds that nobody can take back, such as erasing and printing. It is never ahead of `clock`. After a jump
 * forward it goes on as before the jump, until `clock` has run on for an hour: long enough for NTP or a person to set it
 * right.
 */
export const createTrustedClock = (ports: {
  clock: Clock;
  /** Milliseconds since the machine was started, with those in which it slept; never goes back. */
  uptimeMs(): number;
  /** The latest time (epoch ms) that is known to have passed; the first hour goes on from it. Absent: believes `clock`. */
  passedMs?: number | undefined;
  /** Gets by how many milliseconds the clock jumped; below 0: backward. */
  jumped?(byMs: number): void;
}): Clock => {
  const { clock, uptimeMs, passedMs, jumped } = ports;
  const startMs = uptimeMs();
  /** The clock minus the uptime: as it was last seen, and as it is trusted. */
  let seenMs = clock() - startMs;
  let trustedMs = passedMs === undefined ? seenMs : passedMs - startMs;
  let believedFromMs = passedMs === undefined ? startMs : startMs + believedAfterMs;
  return () => {
    const now = clock();
    const upMs = uptimeMs();
    const jumpMs = now - upMs - seenMs;
    seenMs += jumpMs;
    if (Math.abs(jumpMs) > clocksDifferMs) {
      believedFromMs = upMs + believedAfterMs;
      jumped?.(jumpMs);
    }
    if (upMs >= believedFromMs) trustedMs = seenMs;
    return Math.min(now, upMs + trustedMs);
  };
};
