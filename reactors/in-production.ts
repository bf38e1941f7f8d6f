import { HeldAfterRestore } from './print-partner.ts';
import type { InProduction, WaitsFor } from './release-due-letters.ts';

/**
 * Letters between their release and their hand-over, as this process knows them. `waitsFor`: the partner that a letter
 * waits for after its hand-over failed.
 */
export const createInProduction = (
  waitsFor: (letterId: string) => Promise<WaitsFor>,
): InProduction & {
  /** Does the hand-over of a letter, and keeps its outcome. */
  track(letterId: string, handOver: () => Promise<void>): Promise<void>;
} => {
  const running = new Set<string>();
  const failing = new Map<string, WaitsFor>();
  const held = new Set<string>();
  const waiting = new Set<() => void>();

  const changed = (): void => {
    for (const look of waiting) look();
  };

  const countFailing = (): Record<WaitsFor, number> => {
    const counts = { serving: 0, earlier: 0, simulator: 0 };
    for (const whom of failing.values()) counts[whom]++;
    return counts;
  };

  /** A letter that cannot be read counts for the partner that serves, because that limit is narrower. */
  const keepFailed = async (letterId: string, error: unknown): Promise<void> => {
    const isHeld = error instanceof HeldAfterRestore;
    const whom = isHeld ? undefined : await waitsFor(letterId).catch(() => 'serving' as const);
    failing.delete(letterId);
    held.delete(letterId);
    if (whom === undefined) held.add(letterId);
    else failing.set(letterId, whom);
  };

  return {
    expect(letterId) {
      running.add(letterId);
    },
    absent(letterId) {
      running.delete(letterId);
      changed();
    },
    count: () => ({ running: running.size, failing: countFailing(), held: held.size }),
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
        await keepFailed(letterId, error);
        throw error;
      } finally {
        running.delete(letterId);
        changed();
      }
    },
  };
};
