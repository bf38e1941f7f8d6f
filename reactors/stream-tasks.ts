/**
 * Tasks that follow from events: one after the other in a stream, many streams at once, each tried with
 * growing pauses until it is done or nobody wants it any more.
 */
import type { Log } from '../contract/log.ts';
import type { Time } from '../contract/time.ts';
import type { FailingTask } from '../events/follow-log.ts';
import { earlier, type Position } from '../events/position.ts';

/** The event that a task follows from. */
export type Cause = {
  stream: string;
  type: string;
  position: Position;
  /** The place before the event. */
  before: Position;
  /** When it happened, RFC 3339. */
  at: string;
};

const maxRunning = 64;
const retryMs = { first: 200, most: 60_000 };

export const createStreamTasks = (ports: {
  reactor: string;
  log: Pick<Log, 'error'>;
  /** When it aborts, nothing is tried any more. */
  signal: AbortSignal;
  time: Time;
}) => {
  const { reactor, log, signal, time } = ports;
  const open = new Set<Cause>();
  const failing = new Map<Cause, FailingTask>();
  const chains = new Map<string, Promise<void>>();
  const waitingForSlot: (() => void)[] = [];
  let running = 0;

  /** Whether the work was done: not when nobody wants it any more by the time that it has its turn. */
  const withSlot = async (work: () => Promise<void>): Promise<boolean> => {
    if (running >= maxRunning) await new Promise<void>((resolve) => waitingForSlot.push(resolve));
    running++;
    try {
      if (signal.aborted) return false;
      await work();
      return true;
    } finally {
      running--;
      waitingForSlot.shift()?.();
    }
  };

  const perform = async (cause: Cause, work: () => Promise<void>): Promise<void> => {
    for (let tries = 0; !signal.aborted; tries++) {
      try {
        if (!(await withSlot(work))) return;
        open.delete(cause);
        failing.delete(cause);
        return;
      } catch (error) {
        if (signal.aborted) return;
        const message = error instanceof Error ? error.message : String(error);
        const { stream, type, position } = cause;
        failing.set(cause, { stream, type, position, error: message });
        const fields = { reactor, stream, type, tries, err: message };
        log.error(fields, 'a reaction failed and will be tried again');
        await time.pause(Math.min(retryMs.first * 2 ** tries, retryMs.most), signal);
      }
    }
  };

  return {
    add(cause: Cause, work: () => Promise<void>): void {
      open.add(cause);
      const { stream } = cause;
      const before = chains.get(stream) ?? Promise.resolve();
      const chain = before.then(() => perform(cause, work));
      chains.set(stream, chain);
      void chain.then(() => {
        if (chains.get(stream) === chain) chains.delete(stream);
      });
    },
    size: (): number => open.size,
    failing: (): FailingTask[] => [...failing.values()],
    /** The place before everything that is not done. */
    before(): Position | undefined {
      let oldest: Position | undefined;
      for (const { before } of open)
        oldest = oldest === undefined ? before : earlier(oldest, before);
      return oldest;
    },
    /** When the oldest event happened that is not done, epoch ms. */
    oldestAt(): number | undefined {
      let oldest: string | undefined;
      for (const { at } of open) if (oldest === undefined || at < oldest) oldest = at;
      return oldest === undefined ? undefined : Date.parse(oldest);
    },
    /** Resolves when no task runs. */
    async idle(): Promise<void> {
      await Promise.allSettled(chains.values());
    },
  };
};

export type StreamTasks = ReturnType<typeof createStreamTasks>;
