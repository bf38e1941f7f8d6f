/** What the callers of a process share: its threads, and the budgets of their time. One per process. */
import { type Budget, createBudget } from './budgets.ts';
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

/** CHOICE: what takes longer counts; what a caller may owe, and how fast that is forgiven. */
const slow = { usualMs: 2_000, mostMs: 20_000, forgivenPerMs: 1 / 3 };
/** CHOICE: ten pages take less. */
const text = { usualMs: 20, mostMs: 2_000, forgivenPerMs: 0.1 };

export const createWorkers = (options: {
  threads?: number;
  turnOf: (by: CallerRef) => Promise<Turn>;
}): Workers => {
  const slowTime = createBudget({
    ...slow,
    wayOut: 'The documents of this caller took too long to print or check lately; simplify them',
  });
  const textTime = createBudget({
    ...text,
    wayOut: 'Long texts of this caller took too much time lately; send shorter ones',
  });
  const { threads } = options;
  const pool = createWorkerPool({ budget: slowTime, ...(threads ? { threads } : {}) });
  return {
    pool,
    slowTime,
    textTime,
    turnOf: async (by) => (by === undefined ? serviceTurn : options.turnOf(by)),
    close: pool.close,
  };
};
