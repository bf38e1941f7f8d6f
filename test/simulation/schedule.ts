/**
 * Virtual time. Future events are in a queue, by their time. The seed draws the order of events with the same
 * time. Between two events everything runs that follows from the first at once.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

export type Random = () => number;

/** `more` numbers after `least`, as the seed has it. */
export const between = (random: Random, least: number, more: number): number =>
  least + random() * more;

export const pick = <T>(random: Random, from: readonly T[]): T =>
  from[Math.floor(random() * from.length)] as T;

type Happening = { at: number; order: number; happen: () => void };

const isBefore = (a: Happening, b: Happening): boolean =>
  a.at < b.at || (a.at === b.at && a.order < b.order);

/** A queue whose first is the next in time (a binary heap). */
const createHeap = () => {
  const heap: Happening[] = [];
  const at = (index: number): Happening => heap[index] as Happening;
  const swap = (a: number, b: number): void => {
    [heap[a], heap[b]] = [at(b), at(a)];
  };
  return {
    push(happening: Happening): void {
      let index = heap.push(happening) - 1;
      for (
        let up = (index - 1) >> 1;
        index > 0 && isBefore(at(index), at(up));
        up = (index - 1) >> 1
      ) {
        swap(index, up);
        index = up;
      }
    },
    pop(): Happening | undefined {
      const first = heap[0];
      const last = heap.pop();
      if (!last || heap.length === 0) return first;
      heap[0] = last;
      for (let index = 0; ; ) {
        let least = index;
        for (const child of [2 * index + 1, 2 * index + 2]) {
          if (child < heap.length && isBefore(at(child), at(least))) least = child;
        }
        if (least === index) return first;
        swap(index, least);
        index = least;
      }
    },
    firstAt: (): number => heap[0]?.at ?? Number.POSITIVE_INFINITY,
  };
};

/** Resolves when nothing follows any more: a tick that a promise asks for comes after all running ones. */
const settled = (): Promise<void> =>
  new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)));

export const createSchedule = (random: Random) => {
  const queue = createHeap();
  let now = 0;
  let count = 0;
  return {
    random,
    /** Milliseconds since the beginning. */
    now: (): number => now,
    /** How much has happened: the same seed counts the same. */
    count: (): number => count,
    after(ms: number, happen: () => void): void {
      queue.push({ at: now + Math.max(0, ms), order: random(), happen });
    },
    /** Lets everything happen until `until`. */
    async run(until: number): Promise<void> {
      await nextTurn();
      while (queue.firstAt() <= until) {
        const next = queue.pop() as Happening;
        now = next.at;
        count++;
        next.happen();
        await settled();
      }
      now = until;
    },
  };
};

export type Schedule = ReturnType<typeof createSchedule>;
