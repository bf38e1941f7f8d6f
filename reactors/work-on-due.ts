import { StoreUnavailable } from '../events/event-store.ts';

/** Items of a page: the work on them runs side by side. */
const ofPage = 200;

/**
 * Does `work` on all that is due. Items that fail or wait come first again the next time, so a page with such items is
 * followed by the next page: otherwise items that never go on would hold up all others.
 * @param pageOf the longest due first, behind the item `after`
 * @param work says whether it changed the item
 * @returns how many items were changed, and why others failed
 */
export const workOnDue = async <Item>(
  pageOf: (limit: number, after: Item | undefined) => Promise<Item[]>,
  work: (item: Item) => Promise<boolean>,
  stopping?: AbortSignal,
): Promise<{ changed: number; failures: unknown[] }> => {
  const failures: unknown[] = [];
  let changed = 0;
  let after: Item | undefined;
  while (!stopping?.aborted) {
    const page = await pageOf(ofPage, after);
    const outcomes = await Promise.allSettled(page.map(work));
    const failed = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
    );
    const changedHere = outcomes.filter(({ status, ...of }) => 'value' in of && of.value).length;
    failures.push(...failed);
    changed += changedHere;
    const isAway = failed.some((reason) => reason instanceof StoreUnavailable);
    if (changedHere === page.length || isAway || page.length < ofPage) break;
    after = page.at(-1);
  }
  return { changed, failures };
};
