/**
 * Whether an account wrote to a recipient before. An index of digests proposes earlier letters, and their own streams
 * prove it: an index that is wrong or behind makes a recipient new, never known.
 */

import { recipientDigest } from '../guards/guarded-letter.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { type Letter, letterAggregate } from './letter.ts';

type IndexOf = (kind: string, value: string) => string;

/** @param digest of the recipient, for this account */
export type KnownRecipients = (accountId: string, digest: string) => Promise<boolean>;

/** Letters by their recipients. It holds digests of letters that are not erased, and decides nothing. */
export type RecipientIndex = {
  /** Has no effect on a letter that was erased meanwhile. */
  note(letterId: string, accountId: string, digest: string): Promise<void>;
  /** At most `limit` ids of letters, the latest first. */
  lettersTo(accountId: string, digest: string, limit: number): Promise<string[]>;
};

/**
 * How many letters are read, first and at most. A letter that failed after its production began proves nothing, but an
 * earlier one may.
 */
const looks = [5, 100];

/**
 * The digest of the recipient of a letter whose production began; undefined: it proves no recipient.
 */
export const writtenTo = (letter: Letter, indexOf: IndexOf): string | undefined => {
  if (letter.status === 'none' || letter.erased || !letter.personal) return undefined;
  if (!wasProduced[letter.status]) return undefined;
  return recipientDigest(indexOf, letter.terms.accountId, letter.personal.to);
};

const wasProduced: Record<Exclude<Letter['status'], 'none'>, boolean> = {
  draft: false,
  queued: false,
  cancelled: false,
  failed: false,
  processing: true,
  posted: true,
  in_transit: true,
  delivered: true,
};

export const createKnownRecipients = (ports: {
  handler: Pick<CommandHandler, 'load'>;
  indexOf: IndexOf;
  index: Pick<RecipientIndex, 'lettersTo'>;
}): KnownRecipients => {
  const { handler, indexOf, index } = ports;
  return async (accountId, digest) => {
    const looked = new Set<string>();
    for (const most of looks) {
      const proposed = await index.lettersTo(accountId, digest, most);
      for (const letterId of proposed) {
        if (looked.has(letterId)) continue;
        looked.add(letterId);
        const { state } = await handler.load(letterAggregate, letterId);
        if (writtenTo(state, indexOf) === digest) return true;
      }
      if (proposed.length < most) return false;
    }
    return false;
  };
};
