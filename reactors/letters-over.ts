import { StoreUnavailable } from '../events/event-store.ts';

/** A letter that its row says is over since `overAt`, as of this version of its stream. */
export type LetterOver = { letterId: string; version: bigint; overAt: Date };

/** The longest over first, behind the letter `after`. */
type PageOfLettersOver = (limit: number, after: LetterOver | undefined) => Promise<LetterOver[]>;

/** Letters of a page: the work on them runs side by side. */
const ofPage = 200;

/**
 * Does `work` on the letters that have been over for longest. Letters that fail come first again the next time, so a page
 * with failures is followed by the next page: otherwise letters that always fail would hold up all others.
 * @param work says whether it changed the letter
 * @returns how many letters were changed, and why others failed
 */
export const workOnLettersOver = async (
  pageOf: PageOfLettersOver,
  work: (letter: LetterOver) => Promise<boolean>,
  stopping?: AbortSignal,
): Promise<{ changed: number; failures: unknown[] }> => {
  const failures: unknown[] = [];
  let changed = 0;
  let after: LetterOver | undefined;
  while (!stopping?.aborted) {
    const page = await pageOf(ofPage, after);
    const outcomes = await Promise.allSettled(page.map(work));
    const failed = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
    );
    failures.push(...failed);
    changed += outcomes.filter(({ status, ...of }) => 'value' in of && of.value).length;
    const isAway = failed.some((reason) => reason instanceof StoreUnavailable);
    if (failed.length === 0 || isAway || page.length < ofPage) break;
    after = page.at(-1);
  }
  return { changed, failures };
};
