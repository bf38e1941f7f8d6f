import type { AppError } from '../contract/errors.ts';
import type { Budget } from './budgets.ts';
import { limitError, type RefusingLimit } from './limit-error.ts';
import type { Turn } from './turn.ts';
import { createTurnOrder, type Waiter } from './turn-order.ts';

/**
 * Shares a few slots among callers. Standings take weighted turns; within a standing, parties take turns (accounts,
 * or the addresses of free callers). No party and no crowd of free callers ever holds the last slot, so that the
 * next caller does not wait for slow work of others. The service itself may hold every slot.
 */
type FairQueue<S> = {
  /**
   * Works on a slot as soon as one is free. `brief` work never waits for long work alone: some slots are kept for it.
   * @throws AppError overloaded, rate_limited
   */
  run<T>(turn: Turn, work: (slot: S) => Promise<T>, brief?: boolean): Promise<T>;
  /** `refused`: those that found no slot in time. */
  stats(): { busy: number; waiting: number; refused: number };
  /** Refuses all that wait and all that come. */
  close(): void;
};

type FairQueueOptions<S> = {
  slots: readonly S[];
  /** How many of the slots do brief work only. */
  briefSlots?: number;
  /** How many may wait. One more takes the place of the caller that has most of them. */
  queueMax: number;
  /** How long a caller waits for a slot. */
  waitMs: number;
  /** The limit that refuses callers who find no slot, and the sentence that they get. */
  limit: RefusingLimit;
  tooMany: string;
  retryAfterSeconds: number;
  /** The time on slots is charged to it. Callers in debt come last within their standing. */
  budget?: Budget;
  /** Monotonic, ms. */
  now?: () => number;
};

export function createFairQueue<S>(options: FairQueueOptions<S>): FairQueue<S> {
  const { slots, queueMax, waitMs, limit, tooMany, retryAfterSeconds, budget } = options;
  const now = options.now ?? (() => performance.now());
  const idle = [...slots];
  const order = createTurnOrder<S>({
    slots: slots.length,
    briefSlots: options.briefSlots ?? 0,
    isIndebted: (turn) => budget?.isIndebted(turn) ?? false,
  });
  let closed = false;
  let refused = 0;

  const overloaded = (detail: string): AppError =>
    limitError(limit, detail, { headers: { 'Retry-After': String(retryAfterSeconds) } });

  const noSlot = (): AppError => {
    refused++;
    return overloaded(tooMany);
  };

  const grantTurns = (): void => {
    while (idle.length > 0) {
      const waiter = order.takeNext();
      if (waiter === undefined) return;
      waiter.grant(idle.pop() as S);
    }
  };

  const makeRoomFor = (turn: Turn): void => {
    if (order.waiting() < queueMax) return;
    const displaced = order.displacedBy(turn);
    if (displaced === undefined) throw noSlot();
    displaced.refuse(noSlot());
  };

  const take = (turn: Turn, brief: boolean): Promise<S> => {
    if (idle.length === 0 || !order.mayStart(turn, brief)) makeRoomFor(turn);
    const { promise, resolve, reject } = Promise.withResolvers<S>();
    const late = setTimeout(() => waiter.refuse(noSlot()), waitMs);
    const waiter: Waiter<S> = {
      turn,
      brief,
      grant: resolve,
      refuse(error) {
        order.leave(waiter);
        reject(error);
      },
    };
    order.join(waiter);
    grantTurns();
    return promise.finally(() => clearTimeout(late));
  };

  return {
    async run(turn, work, brief = false) {
      if (closed) throw overloaded('The service is stopping.');
      budget?.assertLeft(turn);
      const slot = await take(turn, brief);
      const started = now();
      try {
        return await work(slot);
      } finally {
        const ms = now() - started;
        budget?.charge(turn, ms);
        idle.push(slot);
        order.ended(turn, brief, ms);
        grantTurns();
      }
    },
    stats: () => ({ busy: slots.length - idle.length, waiting: order.waiting(), refused }),
    close() {
      closed = true;
      for (const waiter of order.all()) waiter.refuse(overloaded('The service is stopping.'));
    },
  };
}
