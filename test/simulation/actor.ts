/** A process as its machine sees it: what comes to it waits while it is frozen, and is lost when it is dead. */
import type { Clock } from '../../ground/clock.ts';
import type { Time } from '../../ground/time.ts';
import { injected } from '../support/injected.ts';
import type { Schedule } from './schedule.ts';

export type Actor = {
  /** Does it now, when it thaws, or never. */
  meet(happen: () => void): void;
  isDead(): boolean;
  isFrozen(): boolean;
  kill(): void;
  freeze(): void;
  thaw(): void;
  /** Its time; a moment that passed while it was frozen comes when it thaws. */
  time: Time;
  /** Its wall clock, which may be wrong. */
  clock: Clock;
  setClockWrong(ms: number): void;
};

/** The wall clock at the beginning of every run. */
const beginning = Date.parse('2026-11-03T09:00:00.000Z');

export const createActor = (schedule: Schedule): Actor => {
  let [dead, frozen, wrongMs] = [false, false, 0];
  let waiting: (() => void)[] = [];
  const pauses = new Set<() => void>();

  const meet = (happen: () => void): void => {
    if (dead) return;
    if (frozen) waiting.push(happen);
    else happen();
  };

  const pause = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const forget = (): void => {
        pauses.delete(forget);
        signal.removeEventListener('abort', end);
      };
      const end = (): void => {
        forget();
        resolve();
      };
      pauses.add(forget);
      signal.addEventListener('abort', end);
      schedule.after(ms, () => meet(end));
    });

  return {
    meet,
    isDead: () => dead,
    isFrozen: () => frozen,
    kill() {
      injected('process killed');
      dead = true;
      waiting = [];
      // A listener on a signal is kept in memory with everything that it refers to.
      for (const forget of pauses) forget();
    },
    freeze() {
      injected('process frozen');
      frozen = true;
    },
    thaw() {
      frozen = false;
      // One after the other, in any order: timers and answers that came meanwhile.
      for (const happen of waiting.splice(0)) schedule.after(0, () => meet(happen));
    },
    time: { elapsedMs: schedule.now, pause },
    clock: () => Math.floor(beginning + schedule.now() + wrongMs),
    setClockWrong(ms) {
      if (ms !== 0) injected('clock wrong');
      wrongMs = ms;
    },
  };
};
