import { AppError } from './errors.ts';

/** How time goes by: `now` monotonic, `workedMs` what this thread has worked. */
export type WorkClock = { now(): number; workedMs(): number };

/** Who waits for a processor works not. */
export const workClock: WorkClock = {
  now: () => performance.now(),
  workedMs() {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  },
};

/** Of something that all share and that takes time: how much each has used of it beyond the usual, lately. */
export type TimeDebts = {
  /** Adds what one piece of work took, less what is usual. */
  add(who: string, ms: number): void;
  isIndebted(who: string): boolean;
  /** @throws AppError rate_limited */
  assertMayGoOn(who: string): void;
};

/**
 * Debts are forgiven with time, and forgotten then.
 * @param options.usualMs what is longer is slow
 * @param options.mostMs who owes more waits until he does not
 * @param options.wayOut what took too long, and what else to do: a sentence up to its `and`
 * @param options.now monotonic, ms
 */
export const createTimeDebts = (options: {
  usualMs: number;
  mostMs: number;
  forgivenPerMs: number;
  wayOut: string;
  now?: (() => number) | undefined;
}): TimeDebts => {
  const { usualMs, mostMs, forgivenPerMs, wayOut, now = () => performance.now() } = options;
  const debts = new Map<string, { ms: number; at: number }>();
  const debtOf = (who: string): number => {
    const debt = debts.get(who);
    if (debt === undefined) return 0;
    const left = debt.ms - (now() - debt.at) * forgivenPerMs;
    if (left <= 0) debts.delete(who);
    return Math.max(0, left);
  };
  return {
    isIndebted: (who) => debtOf(who) > 0,
    assertMayGoOn(who) {
      const over = debtOf(who) - mostMs;
      if (over <= 0) return;
      const seconds = Math.max(1, Math.ceil(over / forgivenPerMs / 1_000));
      throw new AppError('rate_limited', `${wayOut}, and try again in ${seconds} s.`, {
        headers: { 'Retry-After': String(seconds) },
      });
    },
    add(who, ms) {
      if (ms <= usualMs) return;
      for (const known of debts.keys()) debtOf(known);
      debts.set(who, { ms: debtOf(who) + ms - usualMs, at: now() });
    },
  };
};
