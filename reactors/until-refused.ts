import { isRefusal } from '../contract/errors.ts';

/** Tries of a task that is refused. They take about a quarter of an hour. */
const mostTries = 20;

/** A task that gives up where its command is refused again and again. Other errors are tried again for ever. */
export const untilRefused = (
  work: () => Promise<void>,
  giveUp: (error: unknown) => void,
): (() => Promise<void>) => {
  let refusals = 0;
  return async () => {
    try {
      await work();
    } catch (error) {
      if (isRefusal(error)) refusals += 1;
      if (refusals < mostTries || !isRefusal(error)) throw error;
      giveUp(error);
    }
  };
};
