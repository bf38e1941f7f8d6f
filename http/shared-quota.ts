import { createBatchLoader } from '../ground/batch-loader.ts';
import { createBoundedMap } from '../ground/bounded-map.ts';
import { singleFlightByKey } from '../ground/single-flight.ts';
import type { RateDecision, RateLimiter } from './rate-limiter.ts';

/** Counts requests against a limit. A promise only where somebody else must be asked. */
export type Quota = {
  take(key: string, limit: number): RateDecision | Promise<RateDecision>;
};

type LeaseAsked = { key: string; limit: number; want: number };

/**
 * `rest`: the amount left when `granted` is taken. `waitMs`: the time until some is left; 0 where some was
 * granted.
 */
export type LeaseGiven = { granted: number; rest: number; waitMs: number };

/** Where the processes that share a limit take parts of it. */
export type QuotaLeases = {
  /** Whether there is another process to share with. */
  isShared(): boolean;
  lease(asked: LeaseAsked[]): Promise<LeaseGiven[]>;
};

type Entry = {
  tokens: number;
  /** Monotonic ms at which unused tokens expire. */
  endsMs: number;
  rest: number;
  /** Monotonic ms: nothing is left before that. */
  refusedUntilMs: number;
};

const maxKeys = 100_000;
const maxBatch = 500;
/** A refused client is not looked up again before that. */
const leastWaitMs = 50;
/** When leases cannot be had, they are not asked for again before that. */
const aloneMs = 1_000;

/**
 * Requests that are taken at once: a thirtieth of the limit, so that what several processes have in hand
 * and do not use stays a small part of it.
 */
const batchOf = (limit: number): number => (limit < 10 ? 1 : Math.max(2, Math.ceil(limit / 30)));

/**
 * A limit that several processes share: each takes a few requests of it at a time, and the next few before
 * they are used up. Without others, and when nothing can be leased, it is `local` that decides.
 */
export const createSharedQuota = (
  local: Pick<RateLimiter, 'take'>,
  leases: QuotaLeases,
  windowSeconds: number,
): Quota => {
  const entries = createBoundedMap<string, Entry>(maxKeys);
  const leasing = singleFlightByKey<string, boolean>();
  let aloneUntilMs = 0;
  const lease = createBatchLoader<LeaseAsked, LeaseGiven>({ maxBatch, load: leases.lease });

  const entryOf = (key: string): Entry => {
    const known = entries.get(key);
    if (known) return known;
    const entry = { tokens: 0, endsMs: 0, rest: 0, refusedUntilMs: 0 };
    entries.set(key, entry);
    return entry;
  };

  const refill = async (entry: Entry, key: string, limit: number): Promise<boolean> => {
    try {
      const { granted, rest, waitMs } = await lease({ key, limit, want: batchOf(limit) });
      const nowMs = performance.now();
      entry.tokens = (nowMs < entry.endsMs ? entry.tokens : 0) + granted;
      entry.endsMs = nowMs + windowSeconds * 1000;
      entry.rest = rest;
      if (granted === 0) entry.refusedUntilMs = nowMs + Math.max(leastWaitMs, waitMs);
      return true;
    } catch {
      aloneUntilMs = performance.now() + aloneMs;
      return false;
    }
  };

  const refillOnce = (entry: Entry, key: string, limit: number): Promise<boolean> => {
    return leasing(key, () => refill(entry, key, limit));
  };

  /** Uses one of what was leased, if there is one. */
  const use = (
    entry: Entry,
    key: string,
    limit: number,
    nowMs: number,
  ): RateDecision | undefined => {
    if (entry.tokens > 0 && nowMs < entry.endsMs) {
      entry.tokens -= 1;
      if (entry.tokens === 1 && batchOf(limit) > 3) void refillOnce(entry, key, limit);
      const { seconds } = local.take(key, limit);
      return { allowed: true, remaining: entry.rest + entry.tokens, seconds };
    }
    if (nowMs >= entry.refusedUntilMs) return undefined;
    const seconds = Math.max(1, Math.ceil((entry.refusedUntilMs - nowMs) / 1000));
    return { allowed: false, remaining: 0, seconds };
  };

  const ask = async (entry: Entry, key: string, limit: number): Promise<RateDecision> => {
    for (;;) {
      if (!(await refillOnce(entry, key, limit))) return local.take(key, limit);
      const decision = use(entry, key, limit, performance.now());
      if (decision) return decision;
    }
  };

  return {
    take(key, limit) {
      const nowMs = performance.now();
      if (!leases.isShared() || nowMs < aloneUntilMs) return local.take(key, limit);
      const entry = entryOf(key);
      return use(entry, key, limit, nowMs) ?? ask(entry, key, limit);
    },
  };
};
