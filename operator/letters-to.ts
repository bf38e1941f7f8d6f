/**
 * Letters by their recipient. There is no index of recipients: a keyed digest of a name and a postal code
 * in the log would outlive the erasure of the letter, and would tell for ever whether somebody got one.
 */
import type { TimePlace } from '../ground/cursor.ts';
import { type LetterRecord, newestLetters, placeInList } from '../projections/letters/query.ts';
import type { Foundation } from '../service/foundation/wing.ts';

const mostOpened = 20_000;
const openedAtOnce = 2_000;

/** In lower case, without accents. */
const plain = (text: string): string =>
  text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

type Wish = { text: string; accountId: string | undefined; test: boolean; limit: number };

export const lettersTo = async (
  foundation: Foundation,
  { text, accountId, test, limit }: Wish,
): Promise<{ records: LetterRecord[]; looked: number }> => {
  const { openLetters } = foundation.shared.letterReader;
  const words = plain(text).split(/\s+/).filter(Boolean);
  const records: LetterRecord[] = [];
  let looked = 0;
  let before: TimePlace | undefined;
  while (looked < mostOpened && records.length < limit) {
    const batch = await newestLetters(foundation.storage.readDb, {
      accountId,
      test,
      before,
      limit: openedAtOnce,
    });
    const opened = await openLetters(batch);
    for (const record of batch) {
      const to = opened.get(record.letterId)?.to;
      const shown = to && plain([to.name, to.company, to.postalCode, to.city].join(' '));
      if (shown && words.every((word) => shown.includes(word))) records.push(record);
    }
    looked += batch.length;
    const last = batch.at(-1);
    if (!last || batch.length < openedAtOnce) break;
    before = placeInList(last);
  }
  return { records: records.slice(0, limit), looked };
};
