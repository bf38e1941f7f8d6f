import { HeldAfterRestore } from './print-partner.ts';
import type { InProduction } from './release-due-letters.ts';

/** Letters between their release and their hand-over, as this process knows them. */
export const createInProduction = (): InProduction & {
  /** Does the hand-over of a letter, and keeps its outcome. */
  track(letterId: string, handOver: () => Promise<void>): Promise<void>;
} => {
  const running = new Set<string>();
  const failing = new Set<string>();
  const held = new Set<string>();
  const waiting = new Set<() => void>();

  const changed = (): void => {
    for (const look of waiting) look();
  };

  return {
    expect(letterId) {
      running.add(letterId);
    },
    absent(letterId) {
      running.delete(letterId);
      changed();
    },
    count: () => ({ running: running.size, failing: failing.size, held: held.size }),
    room: (most, signal) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (running.size >= most && !signal.aborted) return;
          waiting.delete(look);
          signal.removeEventListener('abort', look);
          resolve();
        };
        waiting.add(look);
        signal.addEventListener('abort', look);
        look();
      }),
    clear() {
      running.clear();
      failing.clear();
      held.clear();
      changed();
    },
    async track(letterId, handOver) {
      try {
        if (!failing.has(letterId) && !held.has(letterId)) running.add(letterId);
        await handOver();
        failing.delete(letterId);
        held.delete(letterId);
      } catch (error) {
        const isHeld = error instanceof HeldAfterRestore;
        (isHeld ? failing : held).delete(letterId);
        (isHeld ? held : failing).add(letterId);
        throw error;
      } finally {
        running.delete(letterId);
        changed();
      }
    },
  };
};
