import { type Clock, clocksDifferMs } from './clock.ts';

/** A clock is believed when it has run on for this long after a jump. */
const believedAfterMs = 3_600_000;

export type TrustedClock = {
  /**
   * Never ahead of the clock. After a jump forward it goes on as before the jump, until the clock has run on for an hour:
   * long enough for NTP or a person to set it right.
   */
  now: Clock;
  /** Times (epoch ms) that the last jump skipped and that are not believed yet: after `fromMs`, until `toMs`. Undefined if no time was skipped. */
  skipped(): { fromMs: number; toMs: number } | undefined;
};

/** The clock for deeds that nobody can take back, such as erasing and printing. */
export const createTrustedClock = (ports: {
  clock: Clock;
  /** Milliseconds since the machine was started, with those in which it slept; never goes back. */
  uptimeMs(): number;
  /** The latest time (epoch ms) that is known to have passed; the first hour goes on from it. Absent: believes `clock`. */
  passedMs?: number | undefined;
  /** Gets by how many milliseconds the clock jumped; below 0: backward. */
  jumped?(byMs: number): void;
}): TrustedClock => {
  const { clock, uptimeMs, passedMs, jumped } = ports;
  const startMs = uptimeMs();
  let jumpedToMs = clock();
  let lookedMs = startMs;
  /** The clock minus the uptime: as it was last seen, and as it is trusted. */
  let seenMs = jumpedToMs - startMs;
  let trustedMs = passedMs === undefined ? seenMs : passedMs - startMs;
  let believedFromMs = passedMs === undefined ? startMs : startMs + believedAfterMs;

  const look = (): { nowMs: number; trustedNowMs: number } => {
    const nowMs = clock();
    const upMs = uptimeMs();
    const jumpMs = nowMs - upMs - seenMs;
    if (Math.abs(jumpMs) > clocksDifferMs) {
      believedFromMs = upMs + believedAfterMs;
      // It happened after the last look, so the times since then may be those after the jump.
      if (jumpMs > 0) jumpedToMs = nowMs - (upMs - lookedMs);
      jumped?.(jumpMs);
    }
    seenMs += jumpMs;
    lookedMs = upMs;
    if (upMs >= believedFromMs) trustedMs = seenMs;
    return { nowMs, trustedNowMs: Math.min(nowMs, upMs + trustedMs) };
  };

  return {
    now: () => look().trustedNowMs,
    skipped() {
      const { nowMs, trustedNowMs: fromMs } = look();
      const toMs = Math.min(nowMs, jumpedToMs);
      return fromMs < toMs ? { fromMs, toMs } : undefined;
    },
  };
};
