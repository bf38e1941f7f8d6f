import type { Clock } from '../ground/clock.ts';

type Window = { startMs: number; count: number; previousCount: number };

export type RateDecision = {
  allowed: boolean;
  /** Requests that are left at this moment. */
  remaining: number;
  /** Seconds until the window ends; when refused, until a request is allowed again. At least 1. */
  seconds: number;
};

/**
 * A sliding-window counter per key: the requests of the running window, and of the one before
 * weighted by how much of it the sliding window still covers. Refused requests do not count.
 * In the memory of this process; several processes share a limit by `shared-quota.ts`.
 *
 * Two generations of keys, each at most `maxKeys`, bound the memory; a key that was not seen for
 * two windows weighs nothing and is forgotten exactly then.
 */
export class RateLimiter {
  readonly #windowMs: number;
  readonly #clock: Clock;
  readonly #maxKeys: number;
  #young = new Map<string, Window>();
  #old = new Map<string, Window>();
  #rotatedMs: number;

  constructor(options: { windowSeconds: number; clock: Clock; maxKeys?: number }) {
    this.#windowMs = options.windowSeconds * 1000;
    this.#clock = options.clock;
    this.#maxKeys = options.maxKeys ?? 100_000;
    this.#rotatedMs = options.clock();
  }

  /** Counts one request of `key` if `limit` allows it. */
  take(key: string, limit: number): RateDecision {
    const nowMs = this.#clock();
    const window = this.#windowOf(key, nowMs);
    const elapsed = (nowMs - window.startMs) / this.#windowMs;
    const used = window.previousCount * (1 - elapsed) + window.count;
    if (used + 1 > limit) {
      const waitMs = this.#waitMs(window, elapsed, limit);
      return { allowed: false, remaining: 0, seconds: Math.max(1, Math.ceil(waitMs / 1000)) };
    }
    window.count += 1;
    const restMs = window.startMs + this.#windowMs - nowMs;
    return {
      allowed: true,
      remaining: Math.floor(limit - used - 1),
      seconds: Math.max(1, Math.ceil(restMs / 1000)),
    };
  }

  /** Keys that are remembered. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  #windowOf(key: string, nowMs: number): Window {
    if (nowMs - this.#rotatedMs >= 2 * this.#windowMs || this.#young.size >= this.#maxKeys) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#rotatedMs = nowMs;
    }
    let window = this.#young.get(key);
    if (window === undefined) {
      window = this.#old.get(key) ?? { startMs: nowMs, count: 0, previousCount: 0 };
      this.#young.set(key, window);
    }
    const passed = Math.floor((nowMs - window.startMs) / this.#windowMs);
    if (passed > 0) {
      window.previousCount = passed === 1 ? window.count : 0;
      window.count = 0;
      window.startMs = passed === 1 ? window.startMs + this.#windowMs : nowMs;
    } else if (passed < 0) {
      window.startMs = nowMs; // the clock went back
    }
    return window;
  }

  #waitMs({ count, previousCount }: Window, elapsed: number, limit: number): number {
    const room = limit - 1 - count;
    if (room >= 0) return (1 - room / previousCount - elapsed) * this.#windowMs;
    return (1 - elapsed + 1 - (limit - 1) / count) * this.#windowMs;
  }
}
