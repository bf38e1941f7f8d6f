/**
 * The network between a process and its partners. A call is refused, or takes a while, or its request or its
 * answer is lost, or its request comes twice, the second time late. Requests overtake each other.
 */

import { injected } from '../support/injected.ts';
import type { Actor } from './actor.ts';
import { between, type Random, type Schedule } from './schedule.ts';

/** `silent`: nothing comes through, either way. `refused`: there is no server. */
export type LinkState = 'up' | 'refused' | 'silent';

export type Link = {
  /**
   * @param work runs at the other end, at once
   * @param gone the error of a call without an answer; `sent`: it may have been obeyed
   */
  call<T>(work: () => Promise<T>, gone: (sent: boolean) => Error): Promise<T>;
  set(state: LinkState): void;
};

/** The frequency of each fault; of each call, from 0 to 1. */
export type Weather = { refused: number; lost: number; twice: number; slow: number };

export const fair: Weather = { refused: 0, lost: 0, twice: 0, slow: 0 };

export const createLink = (
  { schedule, weather }: { schedule: Schedule; weather: Weather },
  actor: Actor,
  timeoutMs: number,
): Link => {
  const random: Random = schedule.random;
  let state: LinkState = 'up';
  const delay = (): number =>
    random() < weather.slow ? between(random, 50, 3_000) : between(random, 1, 8);

  return {
    set(next) {
      state = next;
      if (next !== 'up') injected(`link ${next}`);
    },
    call: (work, gone) =>
      new Promise((resolve, reject) => {
        const fail = (sent: boolean): void => reject(gone(sent));
        const answer = (reply: () => void, ms: number): void =>
          schedule.after(ms, () => actor.meet(reply));
        const silence = (): void => {
          injected('message lost');
          answer(() => fail(true), timeoutMs);
        };
        if (actor.isDead()) return;
        if (state === 'refused' || random() < weather.refused) return answer(() => fail(false), 1);

        const arrive = (): void => {
          if (state === 'silent' || random() < weather.lost) {
            silence();
            return;
          }
          const isAnswered = random() >= weather.lost;
          const tell = (reply: () => void): void => {
            if (state === 'silent' || !isAnswered) silence();
            else answer(reply, delay());
          };
          void work().then(
            (result) => tell(() => resolve(result)),
            (error) => tell(() => reject(error)),
          );
          if (random() >= weather.twice) return;
          injected('message repeated');
          schedule.after(between(random, 1, 4_000), () => void work().catch(() => {}));
        };
        // A process that stops on the way may have sent the request already, or not.
        const isSent = random() < 0.5;
        schedule.after(delay(), () => (isSent ? arrive() : actor.meet(arrive)));
      }),
  };
};
