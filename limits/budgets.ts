import { limitError, type RefusingLimit } from './limit-error.ts';
import { payersOf, type Turn } from './turn.ts';

/** `now`: monotonic, ms. `workedMs`: CPU time of this thread; waiting for a core does not count. */
type WorkClock = { now(): number; workedMs(): number };

export const workClock: WorkClock = {
  now: () => performance.now(),
  workedMs() {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  },
};

/** The time that each caller may take of something that all callers share. */
export type Budget = {
  /** Charges one piece of work, less the usual amount. */
  charge(turn: Turn, ms: number): void;
  /** Whether the caller took more than usual lately. */
  isIndebted(turn: Turn): boolean;
  /** @throws AppError rate_limited when the budget is used up */
  assertLeft(turn: Turn): void;
};

type BudgetOptions = {
  /** The limit that refuses a caller who owes too much. */
  limit: RefusingLimit;
  /** Shorter work is free. */
  usualMs: number;
  /** A caller that owes more is refused until it owes less. */
  mostMs: number;
  /** How fast a debt is forgiven. */
  forgivenPerMs: number;
  /** The beginning of a sentence: what took too long, and what to do. `, and try again in 5 s.` follows. */
  remedy: string;
  /** Monotonic, ms. */
  now?: (() => number) | undefined;
};

const forgetEveryMs = 1_000;

/** Debts are forgiven with time. The service itself has no budget. */
export const createBudget = (options: BudgetOptions): Budget => {
  const { limit, usualMs, mostMs, forgivenPerMs, remedy, now = () => performance.now() } = options;
  const debts = new Map<string, { ms: number; at: number }>();
  let forgottenAt = Number.NEGATIVE_INFINITY;

  const debtAt = (at: number, payer: string): number => {
    const debt = debts.get(payer);
    return debt === undefined ? 0 : Math.max(0, debt.ms - (at - debt.at) * forgivenPerMs);
  };
  const owedBy = (turn: Turn): number => {
    const at = now();
    return Math.max(0, ...payersOf(turn).map((payer) => debtAt(at, payer)));
  };

  const forget = (at: number): void => {
    if (at - forgottenAt < forgetEveryMs) return;
    forgottenAt = at;
    for (const payer of debts.keys()) if (debtAt(at, payer) === 0) debts.delete(payer);
  };

  return {
    isIndebted: (turn) => owedBy(turn) > 0,
    assertLeft(turn) {
      const over = owedBy(turn) - mostMs;
      if (over <= 0) return;
      const seconds = Math.max(1, Math.ceil(over / forgivenPerMs / 1_000));
      throw limitError(limit, `${remedy}, and try again in ${seconds} s.`, {
        headers: { 'Retry-After': String(seconds) },
      });
    },
    charge(turn, ms) {
      if (ms <= usualMs) return;
      const at = now();
      forget(at);
      for (const payer of payersOf(turn)) {
        debts.set(payer, { ms: debtAt(at, payer) + ms - usualMs, at });
      }
    },
  };
};
