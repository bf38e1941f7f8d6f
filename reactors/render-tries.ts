/**
 * Tries of letters that exceed the time or memory of rendering. A letter that is too much ends after some of them. Tries
 * on a service that is too busy for any letter of the kind do not count, but they are not endless either.
 */
import { createBoundedMap } from '../ground/bounded-map.ts';

/** How many letters were rendered, and how often a letter exceeded its limits. */
type Totals = { rendered: number; exceeded: number };

/** With the totals of its kind after the last one. */
type Tries = Totals & { counted: number; all: number };

/** `kind`: of the content. A text that is drawn says nothing about browsers. */
type Tried = { letterId: string; kind: string };

/** CHOICE: with the pauses between them, about half an hour. */
const mostCounted = 20;
/** CHOICE: about half a day. */
const mostOfAll = 500;
const mostLetters = 10_000;

export const createRenderTries = () => {
  const letters = createBoundedMap<string, Tries>(mostLetters);
  const totals = new Map<string, Totals>();
  const totalsOf = (kind: string): Totals => {
    const known = totals.get(kind) ?? { rendered: 0, exceeded: 0 };
    totals.set(kind, known);
    return known;
  };

  /** Since its last try other letters exceeded their limits as well, and none was rendered. */
  const isBusy = (last: Tries, now: Totals): boolean =>
    now.rendered === last.rendered && now.exceeded - last.exceeded > 1;

  return {
    rendered({ letterId, kind }: Tried): void {
      totalsOf(kind).rendered += 1;
      letters.delete(letterId);
    },
    /** Whether this was the last try of the letter. */
    exceeded({ letterId, kind }: Tried): boolean {
      const now = totalsOf(kind);
      const last = letters.get(letterId) ?? { counted: 0, all: 0, ...now };
      now.exceeded += 1;
      const counted = last.counted + (isBusy(last, now) ? 0 : 1);
      const all = last.all + 1;
      const isLast = counted >= mostCounted || all >= mostOfAll;
      if (isLast) letters.delete(letterId);
      else letters.set(letterId, { counted, all, ...now });
      return isLast;
    },
  };
};
