/**
 * Tries of letters that exceed the time or memory of rendering. A letter that is too much ends after some of them. Tries
 * on a service that is too busy for any letter do not count, but they are not endless either.
 */
import { createBoundedMap } from '../ground/bounded-map.ts';

type Tries = {
  counted: number;
  all: number;
  /** The totals of the service after the last one. */
  rendered: number;
  exceeded: number;
};

/** CHOICE: with the pauses between them, about half an hour. */
const mostCounted = 20;
/** CHOICE: about half a day. */
const mostOfAll = 500;
const mostLetters = 10_000;

export const createRenderTries = () => {
  const letters = createBoundedMap<string, Tries>(mostLetters);
  let rendered = 0;
  let exceeded = 0;

  /** Since its last try other letters were too much as well, and none was rendered. */
  const isBusy = (last: Tries): boolean =>
    rendered === last.rendered && exceeded - last.exceeded > 1;

  return {
    rendered(letterId: string): void {
      rendered += 1;
      letters.delete(letterId);
    },
    /** Whether this was the last try of the letter. */
    exceeded(letterId: string): boolean {
      const last = letters.get(letterId) ?? { counted: 0, all: 0, rendered, exceeded };
      exceeded += 1;
      const counted = last.counted + (isBusy(last) ? 0 : 1);
      const all = last.all + 1;
      const isLast = counted >= mostCounted || all >= mostOfAll;
      if (isLast) letters.delete(letterId);
      else letters.set(letterId, { counted, all, rendered, exceeded });
      return isLast;
    },
  };
};
