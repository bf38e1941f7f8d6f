/** Threads and budgets of their time, shared by the callers of a process. One per process. */
import { type Budget, createBudget } from './budgets.ts';
import { memorySharesHere } from './memory-shares.ts';
import { defaultLimits, type Limits } from './table.ts';
import { type CallerRef, serviceTurn, type Turn } from './turn.ts';
import { createWorkerPool, type WorkerPool } from './worker-pool.ts';

export type Workers = {
  pool: WorkerPool;
  /** Of the time on threads and in browsers. */
  slowTime: Budget;
  /** Of the CPU time in which texts are set and letters are drawn. */
  textTime: Budget;
  /** Undefined: the service itself. */
  turnOf(by: CallerRef | undefined): Promise<Turn>;
  close(): Promise<void>;
};

export const createWorkers = (options: {
  limits?: Limits;
  turnOf: (by: CallerRef) => Promise<Turn>;
}): Workers => {
  const { limits = defaultLimits } = options;
  const slowTime = createBudget({
    limit: 'documentTimeMs',
    usualMs: limits.documentTimeFreeMs,
    mostMs: limits.documentTimeMs,
    forgivenPerMs: limits.documentTimeMs / (limits.documentTimeRefillSeconds * 1_000),
    remedy: 'The documents of this caller took too long to print or check lately; simplify them',
  });
  const textTime = createBudget({
    limit: 'textTimeMs',
    usualMs: limits.textTimeFreeMs,
    mostMs: limits.textTimeMs,
    forgivenPerMs: limits.textTimeMs / (limits.textTimeRefillSeconds * 1_000),
    remedy: 'Long texts of this caller took too much time lately; send shorter ones',
  });
  const pool = createWorkerPool({ threads: memorySharesHere().threads, budget: slowTime });
  return {
    pool,
    slowTime,
    textTime,
    turnOf: async (by) => (by === undefined ? serviceTurn : options.turnOf(by)),
    close: pool.close,
  };
};
